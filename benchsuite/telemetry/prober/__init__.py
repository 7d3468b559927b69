"""Asks a server from beside the load: whether it is this run's, and how long others wait for it.
Nothing is imported here, because `program` must start fast.
"""
