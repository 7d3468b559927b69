"""The one line of a log that says why an environment can't be built."""

import pytest

from benchsuite.pythons.programs import last_error

PIP = """\
Collecting django==99
\x1b[31mERROR: Could not find a version that satisfies the requirement django==99\x1b[0m
\x1b[31mERROR: No matching distribution found for django==99\x1b[0m
"""
OLD_PIP = """\
Collecting django==99
  Could not find a version that satisfies the requirement django==99 (from versions: 1.11)
No matching distribution found for django==99
You should consider upgrading via the 'pip install --upgrade pip' command.
"""
COMPILER = """\
    src/posix_ipc.c:12:10: fatal error: Python.h: No such file or directory
    compilation terminated.
  error: command '/usr/bin/gcc' failed with exit code 1
ERROR: Failed building wheel for posix_ipc
"""


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (PIP, "No matching distribution found for django==99"),
        (OLD_PIP, "No matching distribution found for django==99"),
        (
            COMPILER,
            "src/posix_ipc.c:12:10: fatal error: Python.h: No such file or directory",
        ),
        ("Traceback:\n  x\nModuleNotFoundError: No module named 'x'\n", None),
        ("something\nelse.\n", "else"),
        ("", "it left no message"),
    ],
)
def test_it_is_the_last_that_tells_of_an_error(log, expected):
    assert last_error(log) == (expected or "ModuleNotFoundError: No module named 'x'")
