"""Keeps a stack in a swarm while it runs: `python -m benchsuite.fronts.swarming STACK.yaml NAME`.

It deploys the stack, waits, and removes it when told to end. The errors of a replica that fails to
start are printed, with exit status 1.
"""

import json
import os
import select
import signal
import sys
import time
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Never

from benchsuite.fronts.stacks import (
    OWNER_LABEL,
    REMOVE_S,
    SERVICE,
    DockerError,
    docker,
    remover,
    sweep,
)
from benchsuite.system import lock
from benchsuite.system.procfs import PART_VARIABLE

DEPLOY_S = 60.0
START_S = 300.0  #: An engine takes minutes to give up on a silent registry.
POLL_S = 0.5
ANSWER_S = 2.0
FAILED = ("Failed", "Rejected", "Complete", "Shutdown")
ENDING = (signal.SIGTERM, signal.SIGINT)


class _Ended(Exception):
    """SIGTERM or SIGINT."""


def main() -> None:
    path, stack = Path(sys.argv[1]), sys.argv[2]
    removal, removed = remover(stack)
    for signum in ENDING:
        signal.signal(signum, _end)
    problem = ""
    try:
        sweep()
        port = _deploy(path, stack)
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
        said = docker("service", "ps", "--no-trunc", "--format", form, service).splitlines()
        for line in said:
            state, _, error = line.partition("|")
            if state.startswith(FAILED):
                tail = ""
                with suppress(DockerError):
                    tail = docker("service", "logs", "--raw", "--tail", "20", service)
                return f"{tail}\na replica ended: {state} ({error or 'no error message'})"
        if said and all(line.startswith("Running") for line in said) and _answers(port):
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
    main()
