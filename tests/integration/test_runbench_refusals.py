"""What `runbench` finds out before it measures anything, and tells."""

import os
import socket
from pathlib import Path

import pytest

from tests.integration.command import SHORT, Command
from tests.integration.test_runbench import rows


def test_a_port_that_is_taken_is_named(command: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = command.run("runbench", "--server=waitress", f"--port={port}", *SHORT)
    assert ended.status == 1
    assert f"Port {port} of 127.0.0.1 is taken" in ended.err
    assert f"process {os.getpid()}" in ended.err
    assert rows(command)[0][0] == "failed"


@pytest.mark.parametrize(
    ("path", "sentence"),
    [("/nowhere/", "404"), ("/bench/cpu/?size=nonsense", "400")],
)
def test_a_path_that_does_not_answer_right_is_told(
    command: Command, path: str, sentence: str
) -> None:
    ended = command.run("runbench", "--server=waitress", f"--path={path}", *SHORT)
    assert ended.status == 1
    assert sentence in ended.err
    assert path.split("?")[0] in ended.err


def test_an_unreachable_database_is_told(command: Command) -> None:
    ended = command.run(
        "runbench",
        "--server=waitress",
        "--database=postgres://someone@127.0.0.1:9/nothing",
        *SHORT,
    )
    assert ended.status == 1
    assert "127.0.0.1" in ended.err
    assert "Traceback" not in ended.err


def test_results_without_tables_ask_for_migrate(tmp_path: Path) -> None:
    ended = Command(tmp_path).run("runbench", "--server=waitress", *SHORT)
    assert ended.status == 1
    assert "python manage.py migrate" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("x = 1\n", "no user"),
        ("def broken(:\n", "locustfile.py:1: invalid syntax"),
        ("import no_such_module\n", "no_such_module"),
    ],
)
def test_a_bad_locustfile_is_told(
    command: Command, tmp_path: Path, code: str, sentence: str
) -> None:
    file = tmp_path / "locustfile.py"
    file.write_text(code)
    ended = command.run("runbench", "--server=waitress", f"--locustfile={file}", *SHORT)
    assert ended.status == 1
    assert sentence in ended.err.lower()
    assert "Traceback" not in ended.err
