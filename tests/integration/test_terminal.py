"""The commands in a real terminal of 80 and of 40 columns, in a pipe, and where nobody reads."""

import contextlib
import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from itertools import product

import pytest

from tests.integration.command import ROOT, SHORT
from tests.needs import audited

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NO_BREAK = ("http://", "https://", "pip install", "apt ", "python manage.py ", "/", "surveys=")
"""What is to be copied is longer than a narrow terminal, and stays whole."""


def seen(command, width, *words, status=0):
    """The output of a command in a terminal of so many columns, in which it fits."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    env = {name: value for name, value in command.env.items() if name != "COLUMNS"}
    process = subprocess.Popen(
        [*command.program, *words],
        cwd=command.directory,
        env={**env, "TERM": "xterm", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    chunks, deadline = [], time.monotonic() + 120
    with contextlib.suppress(OSError):  # the other end is closed when the command has ended
        while time.monotonic() < deadline:
            if select.select([ours], [], [], 1.0)[0]:
                if not (chunk := os.read(ours, 65536)):
                    break
                chunks.append(chunk)
    os.close(ours)
    output = b"".join(chunks).decode()
    assert process.wait(30) == status, output
    assert too_long(output, width) == []
    return output


def lines(output):
    """What stands in the terminal in the end, as far as it was not written over."""
    return [CONTROL.sub("", line).rstrip() for line in output.replace("\r\n", "\n").split("\n")]


def too_long(output, width):
    return [
        line
        for line in lines(output)
        if len(line.rpartition("\r")[2]) > width and not any(sign in line for sign in NO_BREAK)
    ]


@pytest.mark.parametrize("width", audited([80, 40], 80))
def test_a_run_in_a_terminal(command, width):
    output = seen(command, width, "runbench", "--server=waitress", *SHORT)
    text = "\n".join(lines(output))
    assert "…" not in text.partition("Traceback")[0].replace("▶", "")
    follow, look = (re.search(rf"{word}:?\s+(http\S+)", text) for word in ("Follow", "Look"))
    assert follow[1] == look[1], "the page is named at the start, whole"
    assert " left" in output
    flat = " ".join(text.split())
    for word in ("waitress", "goodput", "verdict"):
        assert word in flat


@pytest.mark.parametrize("width", audited([80, 40], 80))
def test_lists_and_refusals_in_a_terminal(command, width):
    output = seen(command, width, "listbench")
    shown = set("\n".join(lines(output)).split())
    assert {"circus-chaussette-meinheld", "gunicorn-gthread", "nginx", "ws_broadcast"} <= shown
    output = seen(command, width, "runbench", "--server=uwsgo", status=2)
    assert "did you mean uwsgi, " in " ".join(output.split())
    assert "\x1b[31" not in output, "NO_COLOR is set"
    output = seen(command, width, "runbench", "--sever=uwsgi", status=2)
    assert "did you mean --server?" in " ".join(output.split())


EARLY = """
import sys
from django.conf import settings
from django.core.management import execute_from_command_line
settings.configure(INSTALLED_APPS=["benchsuite", "struck"])
execute_from_command_line(["manage.py", "listbench"])
"""


def shell(line):
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}", "bash", sys.executable],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


WHERE = ["| true", "| head -1", ">&-", "2>&-", ">&- 2>&-"]
ENDS = {"listbench": 0, "tunebench --help": 0, "runbench --nonsense": 2, "loadbench /no": 1}
EACH = list(product(WHERE, ENDS.items()))


@pytest.mark.parametrize(("where", "command_line"), audited(EACH, *EACH[::3]))
def test_an_output_that_nobody_reads_is_no_error(where, command_line):
    words, status = command_line
    ended = shell(f"$1 manage.py {words} {where}")
    assert "Traceback" not in ended.stderr
    assert "Error:" not in ended.stderr.replace("CommandError:", "")
    assert ended.returncode == status


def test_ctrl_c_while_it_is_imported_is_a_word(tmp_path):
    (tmp_path / "struck.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    (tmp_path / "start.py").write_text(
        f"import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler){EARLY}"
    )
    ended = shell(f"PYTHONPATH={ROOT}:{tmp_path} $1 {tmp_path}/start.py listbench; exit $?")
    assert ended.stderr == "Interrupted.\n"
    assert ended.returncode == 130
