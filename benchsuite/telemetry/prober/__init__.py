"""Asks a server from beside the load: whether it is this run's, and how long others wait for it.

`answer` asks once; `prober` is a program that asks now and then; `probes` starts it beside a load
and reads what it saw. Nothing is imported here, because the prober is a program that starts fast.
"""
