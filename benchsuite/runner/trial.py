"""Starts a server that brings its own target once, and asks it: does it work here?"""

import secrets
from contextlib import ExitStack
from functools import partial

from benchsuite.core.specs import RunSpec, ServerSpec, WorkloadSpec
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.runner import planning
from benchsuite.runner.assembly import Start, serving
from benchsuite.runner.own_target import OwnTarget
from benchsuite.runner.running_system import Serving
from benchsuite.system import scratch
from benchsuite.system.guard import guarded

PATH = "/bench/plain/"


def tried(server: str, python: Interpreter) -> float:
    """Seconds until a fresh start of it answered as a run of ours; nothing of it is left.

    Raises StartError, with the end of its log, when it does not answer.
    """
    spec = RunSpec(server=ServerSpec(server=server))
    found = Serving()
    token = secrets.token_hex(16)
    own = OwnTarget(WorkloadSpec())
    with ExitStack() as stack:
        folder = stack.enter_context(scratch.folder())
        stack.enter_context(scratch.explained(folder))
        stack.enter_context(guarded(token, folder))
        start = Start(
            spec=spec,
            make=partial(planning.adapter, spec),
            python=python,
            folder=folder,
            token=token,
            clone=partial(own.clone, token),
            facts=own.facts,
            ready_path=PATH,
        )
        stack.enter_context(serving(found, start, None))
    assert found.startup_s is not None
    return found.startup_s
