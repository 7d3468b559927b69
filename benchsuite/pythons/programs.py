"""Runs the programs that build an environment, and finds the error in their logs."""

import os
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchsuite.core.exceptions import UnavailableError
from benchsuite.pythons.interpreter import ASTRAY
from benchsuite.system import logfile
from benchsuite.system.process import running

STEP_S = 1800.0  #: How long one program may take: some installations compile.
POLL_S = 0.1
LOG_LINES = 400

ELSEWHERE = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_REQUIRE_VIRTUALENV")
"""Variables that would make pip install elsewhere, or not at all."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_FATAL = re.compile(r".*\bfatal error:")
_ERROR = re.compile(r"(error:|.*: error:|no matching distribution|could not )", re.I)


def run(
    command: Sequence[str], *, name: str, log: Path, variables: Mapping[str, str] | None = None
) -> None:
    """Runs a program to its end; raises UnavailableError with the last error in its log.

    None of its processes outlives this call, however it ends.
    """
    deadline = time.monotonic() + STEP_S
    with running(
        command,
        name=name,
        log=log,
        env={**_environment(), **(variables or {})},
        marker=secrets.token_hex(8),
    ) as process:
        while (status := process.poll()) is None:
            if time.monotonic() > deadline:
                raise UnavailableError(
                    f"The environment {name} was not built within {STEP_S:.0f} s; see the log of "
                    f"the last step: {log}."
                )
            time.sleep(POLL_S)
    if status != 0:
        reason = last_error(logfile.tail(log, LOG_LINES))
        raise UnavailableError(
            f"The environment {name} can't be built: {reason} (the whole log: {log})."
        )


def last_error(log: str) -> str:
    """The compiler's fatal error, else the last line with an error of pip."""
    lines = [line.strip() for line in _COLOUR.sub("", log).splitlines() if line.strip()]
    fatal = [line for line in lines if _FATAL.match(line)]
    told = [line for line in lines if _ERROR.match(line)]
    last = (fatal or told or lines or ["it left no message"])[-1]
    return re.sub(r"(?i)^error:\s*", "", last).rstrip(".")


def _environment() -> dict[str, str]:
    """This process's variables, without those that would mislead a build."""
    left_out = (*ASTRAY, *ELSEWHERE)
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**kept, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
