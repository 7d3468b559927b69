"""A program of a run is killed while it is measured: it is named, and what was measured is kept."""

import signal
import sqlite3
import tempfile
from pathlib import Path

import psutil
import pytest

from tests.integration.command import Command, wait_for
from tests.needs import needs

pytestmark = needs("postgresql", "psycopg")

LOAD = ("--users=2", "--warmup=0", "--duration=20", "--timeout=5")
KILLED = {
    "benchsuite.load.process.worker": "The load process was ended by SIGKILL (out of memory?)",
    "postgres": "PostgreSQL was ended by SIGKILL (out of memory?) while it was being measured",
}


@pytest.mark.parametrize("word", KILLED)
def test_its_window_up_to_then_is_kept(word: str, tmp_path: Path) -> None:
    temporary = Path(tempfile.mkdtemp(prefix="kir-"))
    temporary.chmod(0o711)  # PostgreSQL runs as nobody where we are root
    command = Command(tmp_path, temporary=temporary)
    assert command.run("migrate", "-v0").status == 0
    with command.start(
        "runbench", "--server=uvicorn", "--database=postgresql", "--no-fsync", *LOAD
    ) as process:
        wait_for("the load", lambda: spooled(command.temporary) > 100_000, 60)
        victim = started(process.pid, word)
        victim.send_signal(signal.SIGKILL)
        ended = command.wait(process)
    assert ended.status == 1
    assert KILLED[word] in ended.err
    assert "goodput" in ended.out, "the table"
    assert "Traceback" not in ended.err.partition("its log ends with")[0]
    with sqlite3.connect(tmp_path / "results.sqlite3") as connection:
        query = "SELECT status, failure, requests, goodput FROM benchsuite_run"
        ((status, failure, requests, goodput),) = connection.execute(query).fetchall()
    connection.close()
    assert status == "failed"
    assert failure.startswith(KILLED[word])
    assert requests > 1000
    assert goodput > 0
    assert command.left_in_temporary_folder() == []
    temporary.rmdir()


def spooled(folder: Path) -> int:
    """Bytes of samples; 40 each."""
    return sum(path.stat().st_size for path in folder.glob("benchsuite-*/*/load-0/samples*"))


def started(parent: int, word: str) -> psutil.Process:
    """The first of a process's children that has this word in its command line."""
    children = psutil.Process(parent).children(recursive=True)
    return next(one for one in children if any(word in part for part in one.cmdline()))
