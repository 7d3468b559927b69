"""The WebSocket half of a user's client.

`wire` makes messages of a TCP connection's bytes and says how it ended; `socket` is what a journey
sees, and pairs answers with what was sent; `records` writes all down, and tells echoes,
publications and strays apart by what `accounts` puts into them. `sockets` knows all that are open
in this process and the subscribers of broadcasts; `dialects` wrap messages as other servers do.
"""
