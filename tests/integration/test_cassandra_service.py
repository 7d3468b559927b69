"""Cassandra as a service of a run, with a program in its place that starts as it does."""

import os
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchsuite.core.exceptions import StartError, UnavailableError
from benchsuite.services.cassandra import Cassandra
from tests.integration.left_behind import processes_with

pytestmark = pytest.mark.audit

MARKER = "a-marker-of-cassandra"
JAVA = """#!/usr/bin/python3
import json, pathlib, signal, socket, sys, time
from urllib.parse import unquote, urlsplit
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
if "broken" in sys.argv[sys.argv.index("-cp") + 1]:
    sys.exit("Exception (java.lang.OutOfMemoryError)")
(told,) = (word.partition("=")[2] for word in sys.argv if word.startswith("-Dcassandra.config="))
config = json.loads(pathlib.Path(unquote(urlsplit(told).path)).read_text())
pathlib.Path(config["commitlog_directory"]).mkdir()
with socket.create_server((config["rpc_address"], config["native_transport_port"])):
    time.sleep(0.3)
    print("INFO Starting listening for CQL clients on", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What everybody may read: as root, the service runs as nobody."""
    with tempfile.TemporaryDirectory(prefix="bst-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        java = folder / "java"
        java.write_text(JAVA)
        java.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        yield folder


def jars(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str = "jars") -> Path:
    made = folder / name
    made.mkdir()
    made.chmod(0o755)
    (made / "cassandra-all-5.0.4.jar").touch()
    monkeypatch.setenv("CASSANDRA_JARS", str(made))
    return made


def service(folder: Path) -> Cassandra:
    own = folder / "its own [1]"
    own.mkdir()
    return Cassandra(folder=own, marker=MARKER, env=dict(os.environ))


def test_it_answers_in_the_block_and_is_gone_after_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jars(folder, monkeypatch)
    with service(folder) as one:
        assert one.url == f"cassandra://127.0.0.1:{one.port}/benchsuite_surveys"
        assert one.version == "5.0.4"
        assert one.answers()
        assert (one.folder / "commitlog").is_dir()
        assert not stat.S_IMODE((one.folder / "cassandra.yaml").stat().st_mode) & 0o077
    assert processes_with(MARKER) == []
    with socket.socket() as free:
        assert free.connect_ex(("127.0.0.1", one.port or 0)) != 0


def test_one_that_does_not_come_up_says_why(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jars(folder, monkeypatch, "broken")
    with pytest.raises(StartError, match=r"(?s)Cassandra .*OutOfMemoryError"):
        service(folder).start()


def test_without_its_jars_it_is_not_available(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CASSANDRA_JARS", raising=False)
    with pytest.raises(UnavailableError, match="CASSANDRA_JARS names no folder of its jars"):
        service(folder).start()
    monkeypatch.setenv("CASSANDRA_JARS", str(folder))
    assert not Cassandra.available().ok, "a folder with other things in it"
    jars(folder, monkeypatch)
    assert Cassandra.available().ok
    (folder / "java").unlink()
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    assert Cassandra.available().command == "apt install openjdk-17-jre-headless"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another user to run it as")
def test_jars_that_its_user_may_not_read_are_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jars(folder, monkeypatch).chmod(0o700)
    assert "may not read" in Cassandra.available().reason
