"""Stacks in a swarm: deploys and keeps one while it runs, and removes those of killed runs.

    python -m benchsuite.fronts.stacks STACK.yaml NAME

deploys the stack, waits, and removes it when told to end. The errors of a replica that fails to
start are printed, with exit status 1.

    python -m benchsuite.fronts.stacks NAME

waits for the end of its standard input, then removes the stack of that name. Like the reaper it
stands outside the run, so that it survives when the processes of a killed run are ended.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import IO, Never

from benchsuite.system import lock, programs
from benchsuite.system.procfs import PART_VARIABLE, RUN_VARIABLE
from benchsuite.system.tree import Mark, limited

OWNER_LABEL = "benchsuite.owner"  #: Says which process a stack belongs to.
SERVICE = "web"
ASK_S = 20.0
REMOVE_S = 40.0
AGAIN_S = 1.0
"""Between two removals: parts of a stack that was being created may appear after the first."""

DEPLOY_S = 60.0
START_S = 300.0  #: An engine takes minutes to give up on a silent registry.
POLL_S = 0.5
ANSWER_S = 2.0
FAILED = ("Failed", "Rejected", "Complete", "Shutdown")
ENDING = (signal.SIGTERM, signal.SIGINT)

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


class _Ended(Exception):
    """SIGTERM or SIGINT."""


def main(arguments: Sequence[str]) -> None:
    *paths, stack = arguments
    if not paths:
        sys.stdin.buffer.read()
        remove(stack)
        return
    removal, removed = remover(stack)
    for signum in ENDING:
        signal.signal(signum, _end)
    problem = ""
    try:
        sweep()
        port = _deploy(Path(paths[0]), stack)
        problem = _watch(f"{stack}_{SERVICE}", port)
    except DockerError as error:
        problem = str(error)
    except _Ended:
        problem = ""
    for signum in ENDING:
        signal.signal(signum, signal.SIG_IGN)
    removal.close()
    if not select.select([removed], [], [], REMOVE_S)[0]:
        problem = problem or f"the stack {stack} is not gone after {REMOVE_S:g} s"
    removed.close()
    sys.exit(problem or 0)


def _end(signum: int, frame: object) -> Never:
    raise _Ended


def _deploy(path: Path, stack: str) -> int:
    """Deploys the stack with the marks by which it and its processes are found; its port."""
    content = json.loads(path.read_text(encoding="utf-8"))
    service = content["services"][SERVICE]
    service["environment"][PART_VARIABLE] = os.environ.get(PART_VARIABLE, "")
    service["deploy"]["labels"] = {OWNER_LABEL: lock.owner_name()}
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False), encoding="utf-8")
    deploy = ["stack", "deploy", "--resolve-image", "never", "--compose-file", str(path), stack]
    docker(*deploy, timeout_s=DEPLOY_S)
    return int(service["ports"][0]["published"])


def _watch(service: str, port: int) -> str:
    """Waits until all replicas run and one answers, then for the end; returns the error otherwise.

    Docker is asked nothing while they are measured.
    """
    deadline = time.monotonic() + START_S
    form = "{{.CurrentState}}|{{.Error}}"
    while time.monotonic() < deadline:
        lines = docker("service", "ps", "--no-trunc", "--format", form, service).splitlines()
        for line in lines:
            state, _, error = line.partition("|")
            if state.startswith(FAILED):
                tail = ""
                with suppress(DockerError):
                    tail = docker("service", "logs", "--raw", "--tail", "20", service)
                return f"{tail}\na replica ended: {state} ({error or 'no error message'})"
        if lines and all(line.startswith("Running") for line in lines) and _answers(port):
            while True:
                signal.pause()
        time.sleep(POLL_S)
    return f"not all replicas run and answer after {START_S:g} s"


def _answers(port: int) -> bool:
    """Whether HTTP comes back; Docker's own proxy accepts connections before its replica does."""
    with (
        suppress(OSError, HTTPException),
        closing(HTTPConnection("127.0.0.1", port, timeout=ANSWER_S)) as asked,
    ):
        asked.request("HEAD", "/")
        asked.getresponse()
        return True
    return False


if __name__ == "__main__":
    main(sys.argv[1:])
