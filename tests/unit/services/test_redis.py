"""What the throw-away Redis is told: no folder, whose path could mean something to it."""

from pathlib import Path

from benchsuite.services.redis import CONFIGURATION, Redis


def configured(port: int, by: str) -> list[str]:
    service = Redis(folder=Path("here"), marker="m", env={}, port=port, by=by)
    return service.config_files()[CONFIGURATION].splitlines()


def test_it_listens_on_a_port_and_on_a_socket_where_it_runs() -> None:
    by_port, by_socket = configured(6400, "tcp"), configured(6401, "unix")
    assert by_port[:2] == ["port 6400", "bind 127.0.0.1"]
    assert not [line for line in by_port if "socket" in line]
    assert by_socket[:2] == ["port 6401", "bind 127.0.0.1"]
    assert by_socket[2:4] == ["unixsocket redis.sock", "unixsocketperm 777"]
    assert not [line for line in by_port + by_socket if "/" in line]
