"""One Plan → one RunResult: starts the server, loads it, watches it, ends it."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Protocol, Self

from benchsuite.agent.client import Watching, connected
from benchsuite.core.exceptions import (
    AnswerError,
    BenchsuiteError,
    DatabaseError,
    StartError,
    UnavailableError,
    UsageError,
)
from benchsuite.core.results import RunResult, Status
from benchsuite.core.specs import FLAME, KEEP, QUERIES
from benchsuite.delay.delayer import HOST
from benchsuite.isolation.facts import Facts, Rows
from benchsuite.isolation.instructions import Instructions, about_the_project
from benchsuite.load.hosts import master as hosts
from benchsuite.load.hosts.keys import Listening
from benchsuite.load.job import Done, Job, Tick
from benchsuite.load.parent.driver import LoadPool, load_pool
from benchsuite.runner import preflight
from benchsuite.runner.assembly import PROJECT, Assembly, about_services
from benchsuite.runner.database_pool import Data
from benchsuite.runner.explaining import EMPTY, Profiler, diagnosis, with_cause
from benchsuite.runner.gains import Learned, held, rehearse
from benchsuite.runner.monitor import Monitor
from benchsuite.runner.planning import Plan
from benchsuite.runner.record import Ceilings, RunRecord, result
from benchsuite.runner.running_system import TARGET, RunningSystem
from benchsuite.system import cpus, fingerprint, folders, network
from benchsuite.system.guard import guarded
from benchsuite.system.interrupts import held_back
from benchsuite.system.process import any_program, ending_in_words
from benchsuite.telemetry.prober.program import RUN_HEADER
from benchsuite.telemetry.sampler import Sampler

COMPLETIONS = "completions"  #: So `Workload.count()` calls journeys that are stored.


class Watcher(Protocol):
    """Who wants to know how a run is getting on."""

    def stage(self, text: str) -> None:
        """A new stage begins, in a word or two: "starting", "ready in 0.8 s", "warm-up", …"""

    def note(self, text: str) -> None:
        """Something worth knowing that stays true: it is not replaced by the next stage."""

    def tick(self, tick: Tick) -> None:
        """One second of load has passed."""


@dataclass(slots=True, kw_only=True)
class Session:
    """Makes one run of a command after another; they share what is kept here."""

    settings_module: str
    port: int | None = None
    bind: str = HOST  #: The address at which servers listen.
    listening: Listening | None = None  #: Where load hosts join; None where none makes the load.
    agent: Listening | None = None  #: Where one watches a target that already runs.
    start_timeout_s: float | None = None
    ceilings: Ceilings = lambda environment: ()
    folder: Path = field(init=False)
    _data: Data = field(init=False)
    _master: hosts.Master | None = None
    _watching: Watching | None = None
    _environment: Mapping[str, object] | None = None
    _count: int = 0

    @contextmanager
    def opened(self) -> Iterator[Self]:
        with ExitStack() as stack:
            token = secrets.token_hex(8)
            self.folder = folder = stack.enter_context(folders.scratch())
            stack.enter_context(guarded(token, folder))
            self._data = Data(self.settings_module, folder, stack, token, self.start_timeout_s)
            if self.listening is not None:
                joining = hosts.master(self.listening, log=folder / "hosts.log")
                self._master = stack.enter_context(joining)
            if self.agent is not None:
                self._watching = stack.enter_context(connected(self.agent))
            yield self
            self._data.check()

    def run(self, plan: Plan, watcher: Watcher) -> RunResult:
        """Makes one run; what goes wrong is in the result, and only our own faults are raised."""
        plan.ensure_built()
        record = RunRecord(plan, started_at=datetime.now(UTC))
        self._count += 1
        folder = self.folder / str(self._count)
        full = partial(folders.explained, self.folder)
        try:
            # Inside and outside: what ends with the stack may make room.
            with full(), ExitStack() as stack, full():
                folder.mkdir()
                self._measure(plan, record, folder, stack, watcher)
        except BenchsuiteError as error:
            record.broke(error)
        except KeyboardInterrupt:
            doing = record.doing()
            record.fail(Status.INTERRUPTED, f"Interrupted{f' ({doing})' if doing else ''}.")
        try:
            with held_back():
                # The samples of a hundred runs would fill a disk, or memory where /tmp is in it.
                shutil.rmtree(folder, ignore_errors=True)
                if self._environment is None:
                    self._environment = fingerprint.fingerprint()
                made = result(record, self._environment, self.ceilings)
        except KeyboardInterrupt:
            made = replace(made, status=Status.INTERRUPTED, failure=made.failure or "Interrupted.")
        return made

    def keep_for(self, later: Iterable[Plan]) -> None:
        """Drops the databases and ends their servers that none of the later runs will use."""
        self._data.keep_for(later)

    def _load(self, plan: Plan, folder: Path, watcher: Watcher) -> AbstractContextManager[LoadPool]:
        """Who makes the load: processes of this machine, or hosts that have joined."""
        load = plan.spec.load
        if load.hosts:
            if self._master is None:
                raise UsageError("--load-hosts needs --listen and --key-file: add them.")
            watcher.stage(f"waiting for {load.hosts} load hosts")
            return self._master.joined(load.hosts, tell=watcher.note, limit_s=self.start_timeout_s)
        # All variables of ours only for somebody's own journeys, which may ask for any.
        without_project = {one: os.environ[one] for one in os.environ if one not in PROJECT}
        return load_pool(
            load.processes,
            spool=folder,
            log=folder / "load.log",
            env=any_program() if _is_ours(plan) else without_project,
            on_cpus=load.cpus,
        )

    def _measure(
        self, plan: Plan, record: RunRecord, folder: Path, stack: ExitStack, watcher: Watcher
    ) -> None:
        watcher.stage("starting")
        spec, work = plan.spec, plan.workload
        files = network.descriptors_needed(preflight.connections(spec)[0], ends=2)  # of a router
        limits = stack.enter_context(network.descriptors_raised(files))
        load = stack.enter_context(self._load(plan, folder, watcher))
        keeper = self._data.keeper(plan)
        keeper.tell = watcher.stage
        had_made = keeper.has_made
        record.doing = lambda: keeper.doing
        keeper.wait()
        record.facts = facts = keeper.facts
        # What pages of the project can show, where that isn't what the author filled.
        data = EMPTY if facts.empty and not work.needs_target_app else ""
        if facts.copied:
            data = f"your data, copied: {facts.copied}"
        who = f"logged in {facts.signed_in}" if facts.signed_in else ""
        if not had_made and (data or who):
            watcher.note("; ".join(filter(None, [data, who])))
        token = secrets.token_hex(16)
        stack.enter_context(guarded(token, folder))
        assembly = Assembly(
            plan=plan,
            folder=folder,
            token=token,
            clone=partial(
                keeper.clone,
                token,
                conn_max_age_s=spec.database.conn_max_age_s,
                pool=spec.database.pool,
                diagnoses=spec.diagnoses == QUERIES,
            ),
            facts=facts,
            headers=spec.visitor.sent(facts.cookies),
            database=self._data.service(plan),
            timeout_s=self.start_timeout_s,
            tell=watcher.stage,
        )
        record.serving = serving = assembly.system
        record.doing = lambda: serving.doing() or keeper.doing
        stack.enter_context(assembly.serving(self.port, self.bind))
        record.doing = str
        notes = {"(log-in)": facts.signed_in, "(data)": data}
        notes |= {f"(option {name})": f"found to be {it}" for name, it in facts.options.items()}
        notes["(limit of open files)"] = limits
        changed = {name: words for name, words in notes.items() if words}
        record.settings_changed = {**keeper.settings_changed, **changed}
        ready_s = serving.startup_s
        watcher.stage("answers" if ready_s is None else f"ready in {ready_s:.1f} s")
        job = _job(plan, facts, serving)
        try:
            record.evidence.unchecked = load.check(job)
        except AnswerError as error:
            raise AnswerError(with_cause(error, serving, facts, spec.database.filled)) from error
        preflight.check_rate(plan, load.requests)
        record.sends_forms = load.posts
        asked_for = [service for service in serving.services if service.name in work.services]
        variables = about_services({service.name: service.url for service in asked_for})
        rows: Callable[..., Rows] = partial(keeper.rows, token)

        def completions(watched: Iterable[str] = ()) -> Rows:
            """What the workload counts as completed, if it does, in place of a table's rows."""
            counts = keeper.counts(token, variables)
            return Rows({"": counts[COMPLETIONS]} if COMPLETIONS in counts else {})

        if (first := completions()).of:
            rows, record.learned = completions, Learned(first.of, {"": (1,)})
        elif load.posts and plan.server.serves_project and spec.database.use != KEEP:
            watcher.stage("rehearsing")
            record.learned = rehearse(load.rehearse, rows)
            if record.learned.words:
                watcher.note(record.learned.words)
        before = serving.counts()
        agent = stack.enter_context(self._watching.run()) if self._watching else None
        record.monitor = monitor = Monitor(serving, load.pids, devices=plan.devices, agent=agent)
        asked = type(work)(**job.workload.options)  # with what its databases showed
        beside = cpus.beside(spec.load.cpus, spec.server.cpus, cpus.available())
        sampler = monitor.sampler(beside, measured=TARGET if work.reads_memory else "")
        if spec.diagnoses == FLAME:
            record.profiler = Profiler(stack.enter_context(ExitStack()), folder, spec.load, token)
        try:
            with monitor.watching(asked, job, folder), record.watched(sampler), cpus.given(beside):
                record.done = _load(load, record, monitor, watcher, sampler)
            record.load_ended()
        except KeyboardInterrupt:
            if record.done is None:  # else what was measured is read all the same
                raise
            record.fail(Status.INTERRUPTED, "Interrupted.")
        if (tick := load.ended_at) is not None:
            reached = [one for one in spec.load.plan if one.window_start_s <= tick.elapsed_s]
            record.settings_changed["(end of the load)"] = (
                f"at {spec.load.level_words(reached[-1].level)}, because of {tick.due} requests "
                f"due only {tick.in_time} were answered right within {spec.load.ends_within_s:g} s"
            )
        record.seen, record.viewed, record.evidence.left_out = (
            None if first is None or last is None else last - first
            for first, last in zip(before, serving.counts(), strict=True)
        )
        if spec.diagnoses == QUERIES and serving.instructions is not None:
            record.diagnosis = diagnosis(serving.instructions)
        elif record.profiler is not None:
            try:
                record.diagnosis = record.profiler.end()
            except UnavailableError as error:  # one that has seen nothing has failed
                record.broke(error, ours=True)
        with held_back():
            samples, names = load.samples()
            if isinstance(load, hosts.HostsPool):
                record.evidence.load_hosts = load.hosts
                for host in load.hosts:
                    record.settings_changed[f"(load host {host.name})"] = host.words
                if load.figures:
                    record.settings_changed["(samples)"] = load.too_many
                    watcher.note(load.too_many)
                    record.read_parts(load.figures)
            if not record.by_parts:
                record.read_samples(samples, names)
        if record.learned.before and record.answers:
            try:
                record.evidence.stored, sentence = held(record.learned, record.answers, rows)
            except DatabaseError as error:  # what was measured is there, but is held to nothing
                record.broke(error)
            else:
                record.settings_changed["(completions)"] = sentence
                watcher.note(sentence)
        record.ask_again()


def _is_ours(plan: Plan) -> bool:
    return plan.workload_path.startswith("benchsuite.") and not plan.workload.locustfile


def _job(plan: Plan, facts: Facts, serving: RunningSystem) -> Job:
    environment = {}  #: Variables that a load process is told with its job.
    if serving.instructions is not None:
        environment = about_the_project(serving.instructions)
        if not _is_ours(plan):
            environment = {**Instructions.read(serving.instructions).environment, **environment}
    visitor = plan.spec.visitor
    if not plan.server.starts and serving.run_header:  # its middleware sends back what it is sent
        sent = f"{RUN_HEADER}: {serving.run_header}"
        visitor = replace(visitor, headers=(*visitor.headers, sent))
    return Job(
        base_url=serving.base_url,
        starts=plan.server.starts,
        run_header=serving.run_header,
        workload_class=plan.workload_path,
        workload=facts.workload(plan.spec.workload),
        load=plan.spec.load,
        locustfile=plan.workload.locustfile,
        environment=environment,
        cookies=facts.cookies,
        visitor=visitor,
        signed_in=facts.signed_in,
        seed=plan.spec.seed,
        unit=plan.workload.unit,
        adds_up=plan.adds_up,
        handshake_headers=plan.server.handshake_headers,
        dialect=plan.server.dialect,
    )


def _load(
    load: LoadPool, record: RunRecord, monitor: Monitor, watcher: Watcher, sampler: Sampler
) -> Done:
    """Loads until the end, a program's death or Ctrl-C; what was measured by then is kept."""

    def look() -> None:
        ended = record.serving.ended()
        if ended is not None and not record.evidence.died:
            record.evidence.died = ended.name
            words = f"{ended.name} {ending_in_words(ended.poll() or 0)} while it was being "
            words += "measured"
            record.fail(Status.FAILED, str(StartError(words, ended.log_tail())), "target")
            load.stop()

    def on_tick(tick: Tick) -> None:
        look()
        if not record.evidence.died:
            record.serving.begin(monotonic() - tick.elapsed_s)
        monitor.tick(tick)
        if record.profiler is not None:
            targets = [process.pid for process in record.serving.processes(TARGET)]
            record.profiler.tick(tick.elapsed_s, targets)
        reading = sampler.last(TARGET)
        watcher.tick(replace(tick, cpu_percent=reading.cpu_percent if reading else None))

    try:
        done = load.run(on_tick)
        look()  # it may have ended since the last tick
        return done
    except KeyboardInterrupt:
        record.fail(Status.INTERRUPTED, "Interrupted.")
        limit = f"{record.spec.load.drain_limit_s:g} s at most; Ctrl-C again gives up"
        watcher.stage(f"interrupted: waiting for open requests, {limit}")
        load.stop()
        return load.wait(on_tick)
