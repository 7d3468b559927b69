"""Added latency for what a server sends to its database, its channel layer or its clients.

A run uses `delayer`, which delays by `proxy`, a program that should start fast: nothing is imported
here.
"""
