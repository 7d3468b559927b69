"""A throw-away Redis or Valkey, by TCP and by Unix socket, and nothing left of it."""

import os
import pwd
import tempfile
import uuid
from pathlib import Path

import pytest

from benchsuite.core.exceptions import StartError, UnavailableError
from benchsuite.services.base import HOST
from benchsuite.services.redis import Redis
from benchsuite.system.account import NOBODY
from benchsuite.system.network import ensure_port_free
from tests.integration.left_behind import processes_with
from tests.integration.postgres import started
from tests.needs import needs

pytestmark = needs("redis", "redis-py")


@pytest.fixture
def place():
    """A folder of a run, closed to others as the session's is."""
    with tempfile.TemporaryDirectory(prefix="bst-redis-") as name:
        place = Path(name) / "redis"
        place.mkdir()
        yield place


@pytest.mark.parametrize("by", ["tcp", "unix"])
def test_it_comes_up_for_who_has_its_password_and_nothing_is_left(by, place):
    import redis as client

    marker = uuid.uuid4().hex
    with started(Redis, folder=place, marker=marker, by=by) as service:
        with client.Redis.from_url(service.url) as connection:
            connection.set("x", 1)
            assert connection.get("x") == b"1"
            assert connection.config_get("save") == {"save": ""}
            probe = service.reading()
            told = probe.sample()
            probe.close()
            assert told["clients"] == 1, "its own is left out"
            assert told["memory_bytes"] > 0
        assert service.settings["appendonly"] == "off"
        assert service.version
        assert (service.socket is None) == (by == "tcp")
        if os.geteuid() == 0:
            owners = {os.stat(f"/proc/{pid}").st_uid for pid in service.process.living()}
            assert owners == {pwd.getpwnam(NOBODY).pw_uid}
        if by == "tcp":
            nobody = client.Redis(host=HOST, port=service.port or 0)
            with nobody, pytest.raises(client.AuthenticationError):
                nobody.ping()
            password = service.url.partition("://:")[2].partition("@")[0]
            assert len(password) > 16
            line = Path(f"/proc/{service.process.pid}/cmdline").read_bytes()
            assert password not in " ".join(service.process.argv)
            assert password.encode() not in line
            assert (place / "redis.conf").stat().st_mode & 0o077 == 0
    assert service.process.poll() == 0
    assert not list(place.glob("*.sock")) + list(place.glob("*.rdb"))
    assert processes_with(marker) == []
    if service.port is not None:
        ensure_port_free(HOST, service.port)


def test_what_can_not_be_started_is_told(place, monkeypatch):
    deep = place / ("x" * 100)
    deep.mkdir()
    why = "longer path than the 107 bytes"
    with pytest.raises(StartError, match=why), started(Redis, folder=deep, by="unix"):
        pytest.fail("it started")
    monkeypatch.setattr(Redis, "program", lambda: None)
    why = "apt install redis-server"
    with pytest.raises(UnavailableError, match=why), started(Redis, folder=place):
        pytest.fail("it started")
