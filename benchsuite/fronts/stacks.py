"""Removes stacks from a swarm, also those whose run was killed.

    python -m benchsuite.fronts.stacks NAME

waits for the end of its standard input, then removes the stack of that name. Like the reaper it
stands outside the run, so that it survives when the processes of a killed run are ended.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import IO

from benchsuite.system import lock, programs
from benchsuite.system.procfs import PART_VARIABLE, RUN_VARIABLE
from benchsuite.system.tree import Mark, limited

OWNER_LABEL = "benchsuite.owner"  #: Says which process a stack belongs to.
SERVICE = "web"
ASK_S = 20.0
REMOVE_S = 40.0
AGAIN_S = 1.0
"""Between two removals: parts of a stack that was being created may appear after the first."""

KINDS = (["service", "ls"], ["ps", "--all"], ["network", "ls"])


class DockerError(Exception):
    """The error message of docker."""


def docker(*arguments: str, timeout_s: float = ASK_S) -> str:
    """The output of docker; raises DockerError when it fails or takes longer."""
    try:
        done = subprocess.run(
            [programs.find_program("docker") or "docker", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DockerError(str(error)) from error
    if done.returncode != 0:
        raise DockerError(done.stderr.strip() or f"docker {' '.join(arguments)} failed")
    return done.stdout


def remover(stack: str) -> tuple[IO[bytes], IO[bytes]]:
    """Starts a process that removes a stack when the first pipe is closed, however we end.

    The second pipe ends when the stack is removed.
    """
    env = {
        name: one for name, one in os.environ.items() if name not in (PART_VARIABLE, RUN_VARIABLE)
    }
    with limited(Mark(run="")):  # not the run's, with whose processes it would be ended
        child = subprocess.Popen(
            ["setsid", "--fork", sys.executable, "-m", "benchsuite.fronts.stacks", stack],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
        )
    child.wait()
    assert child.stdin is not None
    assert child.stdout is not None
    return child.stdin, child.stdout


def remove(stack: str) -> None:
    """Removes a stack and waits up to `REMOVE_S` until nothing of it is left."""
    deadline = time.monotonic() + REMOVE_S
    while time.monotonic() < deadline:
        _tried("stack", "rm", stack)
        time.sleep(AGAIN_S)
        if not _anything(stack):
            return


def sweep() -> None:
    """Removes the stacks of runs that ended without doing so."""
    names = docker("service", "ls", "--quiet", "--filter", f"label={OWNER_LABEL}").split()
    if not names:
        return
    form = f'{{{{.Spec.Name}}}}|{{{{index .Spec.Labels "{OWNER_LABEL}"}}}}'
    for line in docker("service", "inspect", "--format", form, *names).splitlines():
        name, _, whose = line.partition("|")
        if lock.has_ended(whose):
            remove(name.removesuffix(f"_{SERVICE}"))


def _anything(stack: str) -> bool:
    mine = ["--quiet", "--filter", f"label=com.docker.stack.namespace={stack}"]
    return any(_tried(*kind, *mine).strip() for kind in KINDS)


def _tried(*arguments: str) -> str:
    try:
        return docker(*arguments)
    except DockerError as error:
        return str(error)


def main(arguments: Sequence[str]) -> None:
    sys.stdin.buffer.read()
    remove(arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])
