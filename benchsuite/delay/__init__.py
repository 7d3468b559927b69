"""Added latency for what a server sends to its database, its channel layer or its clients.

A run uses `delayer`; `address` delays by a proxy (`proxy`, `connection`, `pipe`, `timer`). Nothing
is imported here, because the proxy is a program that should start fast.
"""
