"""Added latency for what a server sends to its database, its channel layer or its clients.

A run uses `delayer`; `address` delays by a proxy (`proxy`, `connection`, `pipe`, `timer`),
`network` by the kernel (`netem`, `wiring`); `choice` and `reach` select one. Nothing is imported
here, because the proxy is a program that should start fast.
"""
