"""The WebSocket half of a user's client.

`wire` is one connection: bytes and frames. `socket` is what a journey sees of it, measured.
`accounts` numbers messages and judges what comes back. `group` follows a broadcast to its
subscribers. `sockets` knows all that are open in this process. `dialect` is how a server's own
protocol wraps messages.
"""
