"""The terminal is closed during a run: it ends in order, and with `nohup` it goes on."""

import os
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.integration.command import Command, wait_for


@pytest.mark.parametrize(
    ("nohup", "status", "state"), [(False, 130, "interrupted"), (True, 0, "finished")]
)
def test_a_closed_terminal(tmp_path: Path, *, nohup: bool, status: int, state: str) -> None:
    command = Command(tmp_path, PYTHONIOENCODING="ascii")
    assert command.run("migrate", "-v0").status == 0
    store, reader = tmp_path / "results.sqlite3", os.pipe()
    words = ["nohup"] * nohup + [*command.program, "runbench"]
    words += ["--server=uvicorn", "--users=2", "--warmup=0", "--duration=3", "--timeout=5"]
    with subprocess.Popen(
        words,
        cwd=command.directory,
        env=command.env,
        stdout=reader[1],
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(reader[1])
        wait_for("a run under way", lambda: states(store) == ["running"])
        wait_for("its load", lambda: b"ready in" in os.read(reader[0], 65536))
        os.close(reader[0])  # nobody reads any more, as of a terminal that is gone
        process.send_signal(signal.SIGHUP)
        assert process.wait(60) == status
    assert states(store) == [state]
    assert command.left_in_temporary_folder() == []


def states(store: Path) -> list[str]:
    with sqlite3.connect(store) as connection:
        found = connection.execute("SELECT status FROM benchsuite_run").fetchall()
    connection.close()
    return [row[0] for row in found]
