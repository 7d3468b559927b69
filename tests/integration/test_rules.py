"""The rules that all tests stand under, tried on tests that break them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.left_over import CACHED

ROOT = Path(__file__).resolve().parent.parent.parent

LEAVE_ALL_BEHIND = """
import socket, subprocess, tempfile
kept = []
def test_process():
    kept.append(subprocess.Popen(["sleep", "1234"], start_new_session=True))
def test_port():
    kept.append(socket.create_server(("127.0.0.1", 0)))
def test_file():
    tempfile.mkdtemp(prefix="benchsuite-")
"""

LEAVE_NOTHING = """
import subprocess, tempfile
def test_process():
    subprocess.run(["true"], check=True)
def test_file():
    with tempfile.TemporaryDirectory(prefix="benchsuite-"):
        pass
"""

SKIP_UNTIL_THERE = """
import os
import pytest
def test_dig():
    pass
def test_forge():
    if "SMITH" not in os.environ:
        pytest.skip("no smith")
@pytest.mark.parametrize("metal", ["iron", "tin"] if "SMITH" in os.environ else ["iron"])
def test_cast(metal):
    pass
"""


MANY_SKIPS = """
import pytest
from tests.needs import NEEDS, Need, needs
NEEDS["unicorn"] = Need(lambda: False, "apt install unicorn")
NEEDS["dragon"] = Need(lambda: False, "tame one")
@needs("unicorn", "dragon")
def test_both():
    pass
@needs("unicorn")
def test_ride():
    pass
@pytest.mark.skipif(True, reason="tired; very")
def test_sleep():
    pass
def test_dig():
    pytest.skip("tired; very")
def test_forge():
    pytest.importorskip("no_such_module", reason="no dwarfs")
"""


def run_tests(folder, text, *options, **environment):
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = needs\n")
    (folder / "test_them.py").write_text(text)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:django"),
            *("-p", "tests.strictness", "-p", "tests.left_over", *options, str(folder)),
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "BENCHSUITE_REQUIRE": "", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout


def test_what_tests_leave_behind_is_named_and_fails_the_session(tmp_path):
    status, output = run_tests(tmp_path, LEAVE_ALL_BEHIND)
    assert "3 passed" in output
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "sleep 1234" in output
    assert "port " in output
    assert "in the temp folder: benchsuite-" in output
    assert (tmp_path / ".pytest_cache/v" / CACHED).exists(), "no second try mends it"


def test_a_tidy_session_passes(tmp_path):
    status, output = run_tests(tmp_path, LEAVE_NOTHING)
    assert (status, "left behind" in output) == (pytest.ExitCode.OK, False)
    assert not (tmp_path / ".pytest_cache/v" / CACHED).exists()


@pytest.mark.parametrize("shared_out", [(), pytest.param(("-n", "2"), marks=pytest.mark.audit)])
def test_every_skip_is_counted_by_name_and_fails_where_all_is_required(tmp_path, shared_out):
    status, output = run_tests(tmp_path, MANY_SKIPS, *shared_out)
    assert status == pytest.ExitCode.OK
    lacks = output.partition("what this machine lacks")[2].splitlines()[1:6]
    assert lacks == [
        "   1  needs dragon: tame one",
        "   2  needs unicorn: apt install unicorn",
        "   1  no dwarfs",
        "   2  tired; very",
        "5 tests skipped",
    ]
    status, output = run_tests(tmp_path, MANY_SKIPS, *shared_out, BENCHSUITE_REQUIRE="all")
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "2 failed, 3 errors" in output


RARE = """
from tests.needs import NEEDS, Need, needs
NEEDS["unicorn"] = Need(lambda: False, "breed one", rare=True)
@needs("unicorn")
def test_ride():
    pass
"""


def test_what_is_rare_may_be_skipped_where_all_is_required_but_not_everything(tmp_path):
    status, output = run_tests(tmp_path, RARE, BENCHSUITE_REQUIRE="all")
    assert status == pytest.ExitCode.OK
    assert " 1  needs unicorn: breed one\n" in output
    status, output = run_tests(tmp_path, RARE, BENCHSUITE_REQUIRE="everything")
    assert status == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("shared_out", [(), pytest.param(("-n", "2"), marks=pytest.mark.audit)])
def test_what_has_not_run_is_run_once_it_can(tmp_path, shared_out):
    """Also what was not even collected before; in as many sessions as a Makefile likes."""
    assert "1 passed" in run_tests(tmp_path, SKIP_UNTIL_THERE, "-k", "dig", *shared_out)[1]
    assert "1 passed, 1 skipped" in run_tests(tmp_path, SKIP_UNTIL_THERE, "-k", "not dig")[1]
    again = ("--not-yet-run", "-vv", *shared_out)
    told = "2 passed" if shared_out else "2 passed, 2 deselected"
    status, output = run_tests(tmp_path, SKIP_UNTIL_THERE, *again, SMITH="1")
    assert (status, told in output) == (pytest.ExitCode.OK, True)
    assert ("test_forge" in output, "test_cast[tin]" in output) == (True, True)
    assert run_tests(tmp_path, SKIP_UNTIL_THERE, *again, SMITH="1")[0] == (
        pytest.ExitCode.NO_TESTS_COLLECTED
    )
