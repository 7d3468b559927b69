"""Starts a server as a run does, without load and without the project's data."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

from benchsuite.isolation.facts import Facts
from benchsuite.runner.assembly import StartRequest, serving
from benchsuite.runner.plan import Plan
from benchsuite.runner.running_system import RunningSystem
from benchsuite.system import scratch
from benchsuite.system.guard import guarded


@contextmanager
def started(
    plan: Plan, tell: Callable[[str, Path], Path] | None = None
) -> Iterator[tuple[RunningSystem, str]]:
    """The server while it answers, and the token that its answers carry; nothing of it is left.

    `tell` writes what a server of a project is told: from token and folder to the file. Raises
    StartError, with the end of its log, when it does not answer.
    """
    plan.ensure_built()
    found, token = RunningSystem(), secrets.token_hex(16)
    with ExitStack() as stack:
        folder = stack.enter_context(scratch.folder())
        stack.enter_context(scratch.explained(folder))
        stack.enter_context(guarded(token, folder))
        start = StartRequest(
            plan=plan,
            folder=folder,
            token=token,
            clone=lambda **amended: nullcontext(tell(token, folder) if tell else None),
            facts=Facts(),
        )
        stack.enter_context(serving(found, start, None))
        yield found, token
