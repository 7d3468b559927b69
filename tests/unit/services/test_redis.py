"""What the throw-away Redis is told: no folder, whose path could mean something to it."""

from benchsuite.services import redis


def test_it_listens_on_a_port_or_on_a_socket_where_it_runs() -> None:
    by_port = redis._configured(6400, "secret").splitlines()
    by_socket = redis._configured(None, "secret").splitlines()
    assert by_port[:2] == ["port 6400", "bind 127.0.0.1"]
    assert by_socket[:3] == ["port 0", "unixsocket redis.sock", "unixsocketperm 777"]
    assert not [line for line in by_port + by_socket if "/" in line]
