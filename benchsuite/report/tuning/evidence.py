"""One tuning with all its evidence: what limits the pick, how to deploy it, and each decision."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property

from django.core.exceptions import ImproperlyConfigured

from benchsuite.bottlenecks.evidence import Alone
from benchsuite.comparing.cells import per_journey
from benchsuite.comparing.titles import workload_words
from benchsuite.core.answer import Answer, Section, Shown, Table
from benchsuite.core.commands import command
from benchsuite.core.exceptions import UnavailableError, UsageError, choices
from benchsuite.core.plain import plain
from benchsuite.core.results import Status
from benchsuite.core.specs import RunSpec, WorkloadSpec
from benchsuite.core.units import counted, format_duration, format_period, in_words, listed
from benchsuite.isolation.instructions import ANSWERING
from benchsuite.isolation.served.project import named
from benchsuite.models import Run, Tuning
from benchsuite.report import sentences
from benchsuite.report.charts.drawing import Chart
from benchsuite.report.limiting import HEADINGS, Limits, diagnosis, flame, limits_of, one_user
from benchsuite.report.tuning.charts import against_memory, shares
from benchsuite.runner import environments, planning
from benchsuite.servers import deploying
from benchsuite.servers.base import Application, Place
from benchsuite.store.purposes import read_notebook
from benchsuite.tuning.answer import Outcome, answer
from benchsuite.tuning.candidates import configured
from benchsuite.tuning.diagnosing import others
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.trial import Candidate, Phase


def texts(pick: Candidate, spec: RunSpec) -> Mapping[str, str]:
    """Kind → text, such as "gunicorn.conf.py" and "systemd". Raises UsageError, UnavailableError
    and ImproperlyConfigured where server, Python or settings are not here, or not for production.
    """
    spec = configured(spec, pick)
    server, plan = spec.server, planning.resolve(spec)
    if plan.python is None:
        raise UnavailableError(
            f"The environment {server.environment_name} is not built here, so there is nothing to "
            "paste."
        )
    served = application(server.application, plan.server.interface)
    adapter = type(plan.server)(server, served, Place(interpreter=plan.python))
    if not (by_kind := dict(adapter.deployment("127.0.0.1:8000"))):
        raise UsageError(f"{server.server} is not for production: there is nothing to paste.")
    if settings := deploying.databases(spec.database):
        by_kind["settings"] = settings
    return by_kind


def application(asked: str, interface: str) -> Application:
    """The one that was asked for, else the project's of that interface."""
    if asked:
        return Application(wsgi=asked, asgi=asked)
    settings = environments.target_settings()
    with suppress(ModuleNotFoundError):  # its package is another Python's
        if path := named(interface, {name: getattr(settings, name, None) for name in ANSWERING}):
            return Application.dotted(path, path)
    raise UsageError(
        f"The project has no {interface.upper()} application to paste, and Django's own was "
        f"measured: write {interface}.py as startproject does, and name it in "
        f"{interface.upper()}_APPLICATION."
    )


@dataclass(frozen=True)
class TuningReport:
    """One tuning; everything is made when it is asked for."""

    row: Tuning
    notebook: Notebook

    @cached_property
    def outcome(self) -> Outcome:
        return Outcome(self.notebook)

    @cached_property
    def answer(self) -> Answer:
        bare, confirmed = answer(self.outcome), self.outcome.rate is not None
        limits = self.limiting.limits[:1] if self.limiting and confirmed else ()
        command, steps, (paste, unpasted) = "", list(bare.next_steps), self.pasted
        if confirmed and paste:
            *_, command = paste["command"].splitlines()
            files = (one for one in paste if one not in deploying.KINDS[:-1])  # it needs these
            names = ("the lines for the settings" if one == "settings" else one for one in files)
            steps = [*(f"Paste {name} first." for name in names), "Start it with:"]
        elif confirmed and unpasted:
            steps.insert(0, unpasted)
        return replace(
            bare,
            question=f"Asked: {self.question}. {sentences.when(self.row)}.",
            premises=[self.stopped] if self.stopped else [],
            reasons=[*bare.reasons, *(f"{one.says} {one.fix} ({one.code})" for one in limits)],
            next_steps=steps,
            command=command,
            sections=[
                *self._paste(),
                *self._limits(),
                *bare.sections,
                *self._decisions(),
                Section(title="Conditions", facts=self.conditions),
            ],
        )

    @property
    def objective(self) -> str:
        return self.notebook.question.objective.words

    @property
    def workload(self) -> str:
        work = WorkloadSpec.from_json(self.row.spec.get("workload") or {})
        return workload_words(work.workload, work.options)

    @cached_property
    def charts(self) -> list[Chart]:
        """Those that have something to show."""
        question = self.notebook.question
        makers = [against_memory] * (question.rate is None and not question.scaling)
        makers += [shares] * (not question.objective.goals[0].is_mean)  # which has no shares
        return [chart for make in makers if (chart := make(self.outcome)).series]

    def limits(self, start: Run | None = None) -> Limits | None:
        """What limits the pick, of its last start that confirmed, else of its last that counts;
        None where that run is not stored. `start` is its diagnostic one, where that is no trial
        yet. One user's times are those of the server that was tried first.
        """
        notebook, pick = self.notebook, self.outcome.pick
        if pick is None:
            return None
        kinds = (
            notebook.of(pick, Phase.CONFIRM) or notebook.of(pick),
            [one for one in notebook.entries if one.trial.load.users == 1],
            notebook.of(pick, Phase.DIAGNOSE),
            notebook.of(pick, Phase.FLAME),
        )
        known = [[one for one in entries if one.seen.levels] for entries in kinds]
        orders = [notebook.entries.index(shown[-1]) if shown else -1 for shown in known]
        trials = self.row.trials.filter(order__in=orders).select_related("run")
        runs = {one.order: one.run for one in trials.prefetch_related("run__measurements")}
        run, alone, diagnosed, looked_into = map(runs.get, orders)
        if run is None:
            return None
        start, probe, each = start or diagnosed, notebook.probe, per_journey(run)
        graph = flame(looked_into) if looked_into else None
        mean = Alone(mean_s=probe.response_s / each) if probe else None
        levels = [level for entry in notebook.entries for level in entry.seen.levels]
        limited = limits_of(
            run,
            highest_rate=max((each * level.goodput for level in levels), default=None),
            alone=(alone and one_user(alone)) or mean,
            objective_s=notebook.question.objective.limit_s,
            alternatives=others(notebook, pick),
            diagnosis=start and diagnosis(start),
            profiled=graph and graph.stands_out,
        )
        return replace(limited, flame=graph)

    limiting = cached_property(limits)  # with the starts that are trials

    def _limits(self) -> Iterator[Section]:
        pick, limiting = self.outcome.pick, self.limiting
        if limiting is None or (pick and pick.runs_already):
            return
        points = [
            " ".join(filter(None, (one.says, one.evidence, one.fix, one.gain, f"({one.code})")))
            for one in limiting.limits
        ]
        yield Section(
            title="What limits it",
            sentences=list(filter(None, [limiting.sentence])),
            points=points,
            brief=[f"Limit: {point}" for point in points[1:]],  # the first stands in the answer
        )
        if graph := limiting.flame:
            tables = [
                Table(HEADINGS, [row.cells for row in rows], title=heading)
                for heading, rows in graph.tables.items()
            ]
            title = "Where the CPU time goes"
            yield Section(title=title, sentences=[graph.sentence], tables=tables)

    def _paste(self) -> Iterator[Section]:
        pick, confirmed = self.outcome.pick, self.outcome.rate is not None
        paste, unpasted = self.pasted
        if pick is not None and (paste or unpasted):
            leads, brief = f"Of {pick.name}, which leads and is not confirmed.", []
            if paste and confirmed:
                words = f"--paste={next(iter(paste))}", f"--of={self.row.short_id}"
                example = command("tunebench", *words)
                brief = [f"To paste: {', '.join(paste)}; for example: {example}"]
            lines = [*[leads] * (not confirmed), *[unpasted] * bool(unpasted)]
            yield Section(title="To paste", sentences=lines, copies=paste, brief=brief)

    @cached_property
    def pasted(self) -> tuple[Mapping[str, str], str]:
        """Kind → text of the pick, and why there is none; both empty where nothing is deployed."""
        pick = self.outcome.pick
        if pick is None or pick.runs_already:
            return {}, ""
        try:
            return texts(pick, RunSpec.from_json(self.row.spec)), ""
        except (UsageError, UnavailableError, ImproperlyConfigured) as error:
            return {}, str(error)

    def _decisions(self) -> Iterator[Section]:
        """The log: each trial, why it was made, and what it found."""
        entries, goals = self.notebook.entries, self.notebook.question.objective.goals
        if not entries:
            return
        rows: list[list[Shown | str]] = []
        for number, (entry, (run, verdict)) in enumerate(zip(entries, self.runs, strict=True), 1):
            trial, seen = entry.trial, entry.seen
            shown = Shown(verdict, runs=[(verdict, run, "")])
            if not run:
                shown = Shown.missing("its run was deleted" if seen.levels else "it has no run")
            words = trial.load.words, trial.reason, seen.words(goals[0])
            rows.append([str(number), trial.phase.value, trial.candidate.name, *words, shown])
        table = Table(["no.", "phase", "configuration", "load", "why", "found", "run"], rows)
        each = f"{counted(len(rows), 'run')}: why each was made, and what it found."
        yield Section(title="Decisions", sentences=[each], tables=[table])

    @cached_property
    def runs(self) -> list[tuple[str, str]]:
        """The run of each trial, and its verdict; empty where it is gone, or there was none."""
        trials = self.row.trials.values_list("run_id", "run__verdict", "run__status")
        known = trials[: len(self.notebook.entries)]  # meanwhile there may be more
        return [(str(run or ""), verdict or status or "") for run, verdict, status in known]

    @property
    def stopped(self) -> str:
        """How far it came, where it has not ended by itself."""
        if self.row.status == Status.FINISHED.value:
            return ""
        notebook, entries = self.notebook, self.notebook.entries
        spent, budget = map(format_period, (notebook.spent_s, notebook.question.budget_s))
        made = f"{counted(len(entries), 'run')} in {spent} of {budget}"
        if self.row.status == Status.RUNNING.value:
            return f"It is still searching: {made} so far."
        where = f" in its {entries[-1].trial.phase.value} phase" if entries else ""
        return (
            f"It was stopped{where}, after {made}. What follows is what was known then. This goes "
            f"on: {command('tunebench', f'--resume={self.row.pk}')}"
        )

    @property
    def question(self) -> str:
        """ "the highest rate of 12 servers with p95 < 200ms, for url /shop/, in 15 min" """
        asked, wanted, objective = self.notebook.question, "the highest rate", self.objective
        alone = [one.name for one in (asked.scaling or (asked.only,)) if one]
        who = listed(alone) if alone else counted(len(self.row.servers), "server")
        if asked.rate is not None:
            wanted = f"the least memory that holds {in_words(asked.rate)}/s"
        if asked.alone_s:
            objective += f" (proposed: one user alone waits {format_duration(asked.alone_s)})"
        budget = format_period(asked.budget_s)
        return f"{wanted} of {who} with {objective}, for {self.workload}, in {budget}"

    @property
    def conditions(self) -> Mapping[str, object]:
        asked = self.notebook.question
        served = sentences.servers(Run.objects.filter(trials__tuning=self.row))
        facts = {
            "CPUs of the server": not (asked.only and asked.only.runs_already) and asked.cpus,
            "seed": str(asked.seed),
            "runs now": asked.current and asked.current.name,
            **sentences.environment(sentences.machine(self.row), served),
        }
        return {name: fact for name, fact in facts.items() if fact}

    def to_paste(self, kind: str) -> str:
        """What deploys the pick, of that kind or of all; UsageError where there is none."""
        if self.outcome.pick is None:
            raise UsageError(f"There is nothing to paste. {self.outcome.headline}")
        paste, unpasted = self.pasted
        if not paste:
            raise UsageError(unpasted or "It already runs: there is nothing to paste.")
        if not kind:
            return "\n".join(f"### {name}\n{text}" for name, text in paste.items())
        if kind not in paste:
            raise UsageError(f"There is no {kind!r} to paste; {choices(kind, paste)}")
        return paste[kind]

    def as_json(self) -> str:
        """The question, the answer, what to paste or why nothing, and each trial."""
        paste, unpasted = self.pasted
        data = {
            "id": str(self.row.pk),
            "question": plain(self.notebook.question),
            "answer": self.outcome.figures,
            "limits": [asdict(one) for one in self.limiting.limits] if self.limiting else [],
            "paste": dict(paste),
            "unpasted": unpasted,
            "trials": [
                {"run": run or None, **plain(entry.trial), "observation": plain(entry.seen)}
                for (run, _), entry in zip(self.runs, self.notebook.entries, strict=True)
            ],
        }
        return f"{json.dumps(data, indent=2)}\n"


def tuning_report(row: Tuning) -> TuningReport:
    """Raises UsageError for a tuning that this version can't read."""
    return TuningReport(row, read_notebook(row))
