"""One RunSpec → one RunResult: start the server, load it, watch it, end it. Knows no models.

Everything is started inside one ExitStack, so it is undone in reverse order on success, failure,
Ctrl-C and SIGTERM; the guard does the same when this process is killed.
"""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from benchsuite import conf
from benchsuite.core.exceptions import (
    AnswerError,
    BenchsuiteError,
    DatabaseError,
    LoadDiedError,
    LoadError,
)
from benchsuite.core.results import Ceiling, RunResult, Status
from benchsuite.core.specs import RunSpec
from benchsuite.isolation.databases.client import Keeper
from benchsuite.load.job import Done, Job, Tick
from benchsuite.load.parent.pool import LoadCrew, load_crew
from benchsuite.runner import environments, planning
from benchsuite.runner.assembly import Start, serving
from benchsuite.runner.database_pool import Data
from benchsuite.runner.monitor import Witness
from benchsuite.runner.own_target import OwnTarget
from benchsuite.runner.process_environment import PROJECT, about_the_project
from benchsuite.runner.reasons import reason
from benchsuite.runner.record import Draft
from benchsuite.runner.running_system import Serving
from benchsuite.servers.base import Place, ServerAdapter
from benchsuite.system import cpus, descriptors, fingerprint, scratch
from benchsuite.system.ending import in_words
from benchsuite.system.guard import guarded
from benchsuite.workloads.base import Workload

FORCED = {"force_debug_cursor": "is set, so that every SQL statement is kept in memory and logged"}

Ceilings = Callable[[Mapping[str, object]], Sequence[Ceiling]]


class Watcher(Protocol):
    """Who wants to know how a run is getting on."""

    def stage(self, text: str) -> None:
        """A new stage begins, in a word or two: "starting", "ready in 0.8 s", "warm-up", …"""

    def tick(self, tick: Tick) -> None:
        """One second of load has passed."""


@contextmanager
def session(
    *,
    settings_module: str,
    port: int | None = None,
    start_timeout_s: float | None = None,
    ceilings: Ceilings = lambda environment: (),
) -> Iterator["Session"]:
    """What the runs of one command share: a folder, the databases, the machine's fingerprint.

    `start_timeout_s` is how long databases and each server may take to start, where that is not the
    usual time; `ceilings` finds what the load generator was seen to make at most in an environment.
    """
    with ExitStack() as stack:
        token = secrets.token_hex(8)
        folder = stack.enter_context(scratch.folder())
        stack.enter_context(guarded(token, folder))
        data = Data(settings_module, folder, stack, token, start_timeout_s)
        yield Session(
            data, folder=folder, port=port, start_timeout_s=start_timeout_s, ceilings=ceilings
        )


class Session:
    """Runs one spec after another; databases are made once for each workload and cloned for each
    run.
    """

    def __init__(
        self,
        data: Data,
        *,
        folder: Path,
        port: int | None,
        start_timeout_s: float | None,
        ceilings: Ceilings,
    ) -> None:
        self.folder = folder
        self.port = port
        self._start_timeout_s = start_timeout_s
        self._ceilings = ceilings
        self._data = data
        self._environment: Mapping[str, object] | None = None
        self._count = 0

    def run(self, spec: RunSpec, watcher: Watcher) -> RunResult:
        """Makes one run. Whatever goes wrong in it is in the result; only faults of our own are
        raised.
        """
        adapter = planning.adapter(spec, Place(interpreter=environments.interpreter(spec.server)))
        draft = Draft(spec, adapter, started_at=datetime.now(UTC), ceilings=self._ceilings)
        self._count += 1
        folder = self.folder / str(self._count)
        try:
            # Inside and outside: what ends with the stack may make room.
            with (
                scratch.explained(self.folder),
                ExitStack() as stack,
                scratch.explained(self.folder),
            ):
                folder.mkdir()
                self._measure(spec, adapter, draft, folder, stack, watcher)
        except BenchsuiteError as error:
            ours = isinstance(error, LoadError | DatabaseError)
            draft.fail(Status.FAILED, str(error), ours=ours)
        except KeyboardInterrupt:
            draft.fail(Status.INTERRUPTED, "Interrupted.")
        finally:
            # The samples of a hundred runs would fill a disk, or memory where /tmp is in it.
            shutil.rmtree(folder, ignore_errors=True)
        if self._environment is None:
            self._environment = fingerprint.fingerprint()
        return draft.result(self._environment)

    def _measure(
        self,
        spec: RunSpec,
        adapter: ServerAdapter,
        draft: Draft,
        folder: Path,
        stack: ExitStack,
        watcher: Watcher,
    ) -> None:
        watcher.stage("starting")
        workload = planning.workload(spec.workload)
        limits = stack.enter_context(descriptors.raised(planning.open_files(spec)))
        load = stack.enter_context(
            load_crew(
                spec.load.processes,
                spool=folder,
                log=folder / "load.log",
                env=_without_the_project(os.environ),
                on_cpus=spec.load.cpus,
            )
        )
        keeper = self._data.keeper(spec, workload, adapter)
        keeper.wait()
        draft.slowing, draft.undone = keeper.slowing, keeper.undone
        draft.revision = keeper.facts.revision
        draft.memory_layers = keeper.facts.memory_layers
        draft.alike = workload.alike and not workload.locustfile
        draft.asks_target_alone = not workload.locustfile and not spec.server.front_options.get(
            "static"
        )
        draft.unit = workload.unit
        draft.reads_memory = workload.reads_memory
        workload.fit(spec.load)
        draft.populations = workload.populations(spec.load)
        draft.storm_s, draft.restarts = workload.storm_s, workload.restarts
        token = secrets.token_hex(16)
        stack.enter_context(guarded(token, folder))
        start = Start(
            spec=spec,
            make=partial(planning.adapter, spec),
            python=adapter.python,
            folder=folder,
            token=token,
            clone=partial(keeper.clone, token),
            facts=keeper.facts,
            ready_path=workload.ready_path,
            headers=spec.visitor.sent(keeper.cookies),
            may_reach_more=not workload.needs_target_app,
            database=self._data.service(spec),
            timeout_s=self._start_timeout_s,
        )
        stack.enter_context(serving(draft.serving, start, self.port))
        draft.settings_changed = {
            **keeper.settings_changed,
            **({"(log-in)": keeper.signed_in} if keeper.signed_in else {}),
            **({"(limit of open files)": limits} if limits else {}),
        }
        watcher.stage(f"ready in {draft.serving.startup_s:.1f} s")
        serves = draft.serving
        job = _job(spec, workload, serves.base_url, token, folder, keeper, serves.plan)
        draft.unchecked = _check(load, job, draft.serving)
        draft.stored_before = keeper.counts(token)
        draft.asked_before, left_out = draft.serving.asked(), draft.serving.left_out()
        draft.witness = witness = Witness(draft.serving, load.pids)
        asked = conf.workload_class(spec.workload.workload)(**keeper.workload.options)
        looking_on = cpus.beside(spec.load.cpus, spec.server.cpus, cpus.available())
        with (
            cpus.given(looking_on),  # this thread and the sampler; the prober is a client
            witness.looking_on(asked, job, folder),
            draft.watched(witness.sampler()),
        ):
            draft.done = _load(load, draft, watcher)
        draft.asked_after = draft.serving.asked()
        if draft.serving.debugs_sql:
            draft.slowing = {**draft.slowing, **FORCED}
        draft.left_out = draft.serving.left_out() - left_out
        try:
            draft.stored_after = keeper.counts(token)
        except DatabaseError as error:  # what was measured is there, though it can't be held to it
            draft.fail(Status.FAILED, str(error), ours=True)
        draft.read_samples(*load.samples())
        draft.ask_again()


def _without_the_project(env: Mapping[str, str]) -> dict[str, str]:
    """What a load process begins with: it is told of the project with its job."""
    return {name: value for name, value in env.items() if name not in PROJECT}


def _job(
    spec: RunSpec,
    workload: Workload,
    base_url: str,
    token: str,
    folder: Path,
    keeper: Keeper | OwnTarget,
    plan: Path | None,
) -> Job:
    server = conf.server_class(spec.server.server)
    return Job(
        base_url=base_url,
        run_header=token,
        workload_class=conf.workload_paths()[spec.workload.workload],
        workload=keeper.workload,
        load=spec.load,
        spool=str(folder),
        locustfile=workload.locustfile,
        environment={} if plan is None else about_the_project(plan),
        cookies=keeper.cookies,
        visitor=spec.visitor,
        seed=spec.seed,
        unit=workload.unit,
        handshake_headers=server.handshake_headers,
        dialect=server.dialect,
    )


def _check(load: LoadCrew, job: Job, serving: Serving) -> str:
    """One journey, answered right; a wrong answer is told with the error behind it. Gives what of
    answers isn't checked.
    """
    try:
        return load.check(job)
    except AnswerError as error:
        cause = reason(str(error), serving.errors) or serving.first_error()
        raise AnswerError(f"{error} ({cause})" if cause else str(error)) from error


def _load(load: LoadCrew, draft: Draft, watcher: Watcher) -> Done:
    """Loads until the end, a program's death or Ctrl-C; what was measured by then is kept."""

    def look() -> None:
        ended = draft.serving.ended()
        if ended is not None and not draft.died:
            draft.died = True
            process = ended.process
            draft.fail(
                Status.FAILED,
                f"{process.name} {in_words(process.poll() or 0)} while it was being measured; "
                f"its log ends with:\n{process.log_tail()}",
            )
            load.stop()

    def on_tick(tick: Tick) -> None:
        look()
        if draft.restart_is_due(tick.elapsed_s):
            watcher.stage("restarting the server")
            draft.restart()
        if draft.witness is not None:
            draft.witness.told(tick)
        watcher.tick(tick)

    try:
        done = load.run(on_tick)
        look()  # it may have ended since the last tick
        return done
    except LoadDiedError as error:
        draft.fail(Status.FAILED, str(error), ours=True)
        return load.salvaged()
    except KeyboardInterrupt:
        draft.fail(Status.INTERRUPTED, "Interrupted.")
        limit_s = draft.spec.load.drain_limit_s
        watcher.stage(
            f"interrupted: waiting for open requests, {limit_s:g} s at most; Ctrl-C again gives up"
        )
        load.stop()
        return load.wait(on_tick)
