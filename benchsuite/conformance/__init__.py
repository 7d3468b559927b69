"""What a server makes of the WebSocket protocol (RFC 6455): seen on the wire, check by check.

`frames` and `connection` speak it byte by byte, because a library would neither send what is
forbidden nor show what should not have come. `checks` are the cases, `session` runs them on servers
that it starts.
"""
