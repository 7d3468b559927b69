"""What commands print: within the width and in the characters that are there, whatever they say."""

import io
import re
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, load_command_class
from rich.cells import cell_len

from benchsuite.management import output
from benchsuite.management.commands import checkbench
from benchsuite.management.commands.runbench import failures
from benchsuite.management.output import Screen
from benchsuite.models import Run
from benchsuite.report.studies.execution import study_report
from benchsuite.report.tuning.evidence import tuning_report
from benchsuite.telemetry.machine import Check, State
from tests.factories import INVALID, WEAK, make_failed_run, make_run
from tests.flames import make_profiled
from tests.needs import audited
from tests.socket_factories import make_echo_run, make_idle_run
from tests.study_factories import make_study_run
from tests.tuning_factories import make_tuning, searched

pytestmark = pytest.mark.django_db

FOLDER = Path(output.__file__).parent / "commands"
COMMANDS = sorted(one.stem for one in FOLDER.glob("*.py") if one.stem != "__init__")

COPIED = re.compile(r"\s*(\S*[/=]\S*|(usage:|python|pip|apt|sudo) .*)")
"""A line of what is to be copied: a path or address, an option, a command."""

WIDE = "測試🐢 a label that some people write, with wide signs ≥ 10 × 3 …"


@contextmanager
def written(monkeypatch, width, encoding):
    """The lines that are written in this block."""
    lines: list[str] = []
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setenv("COLUMNS", str(width))
    with monkeypatch.context() as patched:
        for name in ("stdout", "stderr"):
            patched.setattr(sys, name, out)
        output.plainer_where_needed()
        yield lines
        out.flush()
    lines += out.buffer.getvalue().decode(encoding).splitlines()


def command(*words):
    """As a shell runs it, errors told."""
    name, *options = words
    made = load_command_class("benchsuite", name)
    try:
        given = vars(made.create_parser("manage.py", name).parse_args(options))
        made.execute(**{**given, "skip_checks": True, "args": (), "stdout": None})
    except CommandError as error:
        made.stderr.write(f"{type(error).__name__}: {error}")
    except SystemExit:  # after help, and after argparse refuses
        pass


def rich_rows():
    """Whatever the end of runbench may have to say."""
    make_run("granian-wsgi", label=WIDE, findings=(INVALID, WEAK))
    make_run("uvicorn", findings=(replace(WEAK, message=WIDE * 3),), repetition=2)
    for number in range(12):
        make_run(f"circus-chaussette-meinheld-{number}", rate=100.0 + number, findings=(WEAK,))
    make_echo_run(lost=2, closes={1001: 1})
    make_idle_run("uvicorn")
    make_failed_run(failure=f"uvicorn ended with 1; its log ends with:\n{'x' * 130}\n{WIDE}")
    make_profiled(make_run("gunicorn-gthread"))
    return list(Run.objects.order_by("started_at", "pk"))


Show = Callable[[], object]


def runs():
    screen_of, rows = Screen, rich_rows()

    def show():
        screen = screen_of()
        screen.results(rows, stored=True)
        screen.say(failures(rows))

    return show


def comparison():
    rich_rows()
    return lambda: command("comparebench", "uvicorn", "granian-wsgi", "--force")


def study():
    answer = study_report(make_study_run()).answer
    return lambda: Screen(verbosity=2).answer(answer, "http://127.0.0.1:8000/results/studies/shop/")


def tuning():
    answer = tuning_report(make_tuning(searched())).answer
    return lambda: Screen().answer(answer, "http://127.0.0.1:8000/results/tune/0123456789abcdef/")


LINES = [
    *(f"{name} {flag}" for name in COMMANDS for flag in ("--help", "--help-all", "--no-such=1")),
    *("listbench", "listbench --findings", "listbench --explain", "listbench --explain B205"),
    *("listbench --explain nobody-knows", "checkbench --strict", "dumpbench - --label=nobody"),
    *("runbench --users=1,2,4,8 --dry-run", "runbench --server=uwsgo"),
    f"loadbench /no/such/{'x' * 90}",
]
SHOWN: dict[str, Callable[[], Show]] = {
    **{line: lambda line=line: lambda: command(*line.split()) for line in LINES},
    **{made.__name__: made for made in (runs, comparison, study, tuning)},
}

CHECKS = [
    Check(name="other programs", state=State.BAD, text=f"used by {WIDE}", advice="stop them"),
    Check(name="CPUs", state=State.OK, text="2 usable"),
]


@pytest.mark.parametrize("encoding", audited(["utf-8", "ascii"], "utf-8"))
@pytest.mark.parametrize("name", SHOWN)
def test_nothing_is_wider_than_the_terminal_but_what_is_copied(name, encoding, monkeypatch):
    monkeypatch.setattr(checkbench, "examine", lambda: CHECKS)
    show = SHOWN[name]()
    for width in (40, 60, 80, 200):
        with written(monkeypatch, width, encoding) as lines:
            show()
        assert lines
        wide = [one for one in lines if cell_len(one) > width and not COPIED.fullmatch(one)]
        assert wide == [], f"at {width} columns"
