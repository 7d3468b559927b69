"""The WebSocket half of a user's client.

`transport` is the TCP connection, with an `outbox`; `wire` makes messages of its
bytes, which wait in the `inbox`, and `endings` says what may become of it. `socket` is what a
journey sees; `handshake` judges how it opens, `exchanges` and `matching` pair answers with what
was sent, `echoes` and `accounts` number messages and tell what comes back, and `records` writes all
down. `subscription` and `group` follow a broadcast to its subscribers. `sockets` knows all that are
open in this process. `dialect` is how a server's own protocol wraps messages.
"""
