"""What holds for all tests: nothing is skipped in silence, nothing is left behind."""

import functools
import gc
import os
import signal
import sys
from pathlib import Path

import pytest

pytest_plugins = ["tests.golden", "tests.strictness", "tests.left_over"]

# They start thousands of Pythons, and each would compile benchsuite anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A job in the background ignores SIGINT, one of nohup SIGHUP, and so would each process of theirs.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_sessionstart():
    """A mutant is tried in a fork of a process that ran the tests, and would answer from caches."""
    if os.environ.get("MUTANT_UNDER_TEST"):
        for kept in gc.get_objects():
            if isinstance(kept, type(functools.cache(len))):
                kept.cache_clear()


@pytest.fixture(autouse=True)
def unknown_width(monkeypatch):
    """What a test prints is as wide as it is, whoever runs the tests in whatever terminal."""
    monkeypatch.delenv("COLUMNS", raising=False)


AUDITS = tuple(Path(__file__).parent / name for name in ("sabotage", "truth"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Before `-m` is looked at: what measures is an audit."""
    for item in items:
        if item.get_closest_marker("alone") or any(map(item.path.is_relative_to, AUDITS)):
            item.add_marker("audit")
