"""The key file of load hosts."""

import socket
import stat

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.load.hosts import keys
from benchsuite.load.hosts.keys import Listening


def test_a_new_key_is_for_its_owner_alone_and_read_only_so(tmp_path):
    path = tmp_path / "key"
    keys.write_new(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key = keys.read(path)
    assert path.read_text().split()[-1].encode() == key
    with pytest.raises(UsageError, match="a key is never replaced"):
        keys.write_new(path)
    assert keys.read(path) == key
    path.chmod(0o644)
    with pytest.raises(UsageError, match="chmod 600"):
        keys.read(path)


@pytest.mark.parametrize("content", [b"", b"# only a comment\n", b"short", b"\xff\xfe", b"~" * 41])
def test_other_files_hold_no_key(tmp_path, content):
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(UsageError, match="--new-key FILE"):
        keys.read(path)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(UsageError, match="can't be read"):
        keys.read(tmp_path / "none")
    with pytest.raises(UsageError, match="No key can be written"):
        keys.write_new(tmp_path / "none" / "key")


@pytest.mark.parametrize("address", ["", "5557", "host", "host:", ":5557", "host:0", "host:99999"])
def test_an_address_has_host_and_port(address):
    with pytest.raises(UsageError, match="write HOST:PORT"):
        Listening.at(address, "key", flag="--join")


@pytest.mark.parametrize(
    ("host", "families", "only"),
    [
        ("localhost", [socket.AF_INET6, socket.AF_INET], False),
        ("shop", [socket.AF_INET], False),
        ("shop6", [socket.AF_INET6], True),
    ],
)
def test_a_name_with_both_kinds_of_addresses_is_reached_by_ipv4(monkeypatch, host, families, only):
    found = [(family, socket.SOCK_STREAM, 6, "", ()) for family in families]
    monkeypatch.setattr(keys.socket, "getaddrinfo", lambda name, port: found)
    assert keys.only_by_ipv6(host) is only


def test_an_address_is_of_its_kind_and_a_name_without_one_may_get_either(monkeypatch):
    assert keys.only_by_ipv6("[::1]")
    assert not keys.only_by_ipv6("127.0.0.1")

    def unknown(name, port):
        raise socket.gaierror("Name or service not known")

    monkeypatch.setattr(keys.socket, "getaddrinfo", unknown)
    assert keys.only_by_ipv6("late")
