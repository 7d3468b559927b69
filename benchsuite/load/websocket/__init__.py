"""The WebSocket half of a user's client.

`wire` is one connection: bytes and frames; `outbox` and `secrecy` are its way out and its TLS,
`endings` what may become of it. `socket` is what a journey sees of it, and `records` writes that
down. `accounts` numbers messages and tells what comes back. `subscription` and `group` follow a
broadcast to its subscribers. `sockets` knows all that are open in this process. `dialect` is how a
server's own protocol wraps messages.
"""
