"""Added latency: what a server sends, to its database or to its clients, is under way for longer.

`delayer` is what a run asks; `address` delays by a proxy (`proxy`, `link`, `timer`), `network` by
the kernel (`netem`, `wiring`); `choice` and `reach` say which of them. Nothing is imported here,
because the proxy is a program that should start fast.
"""
