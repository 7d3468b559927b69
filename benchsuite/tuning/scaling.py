"""What one configuration holds on several numbers of CPUs, and what may be said of others."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchsuite.core.units import format_duration, format_number, format_percent, listed
from benchsuite.stats.scalability import Estimate, Law, NoLaw, fitted
from benchsuite.tuning import confirming
from benchsuite.tuning.bounds import counted
from benchsuite.tuning.confirming import Held
from benchsuite.tuning.notebook import End, Notebook, State
from benchsuite.tuning.planning import Steps, least_s
from benchsuite.tuning.trial import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """One configuration on several numbers of CPUs."""

    law: Law | None  #: Through the rates that starts of the race just held.
    why: str = ""  #: Why there is none.
    shared: tuple[int, ...] = ()  #: Numbers of CPUs some of which the load generator used, too.


def scaling(notebook: Notebook) -> Scaling:
    """Rates count for the law where nothing but the CPUs of the server was another one: not those
    that the load generator shared, nor those that it limited.
    """
    question = notebook.question
    shared = tuple(one for one in _counts(question.scaling) if one > question.unshared)
    law = fitted(
        {
            one.cpus: list(notebook.blocks(one).values())
            for one in question.scaling
            if one.cpus and one.cpus not in shared and not notebook.is_limited(one)
        }
    )
    if isinstance(law, NoLaw):
        return Scaling(law=None, why=law.why, shared=shared)
    return Scaling(law=law, shared=shared)


def sentences(notebook: Notebook, scaling: Scaling) -> list[str]:
    """What each number of CPUs holds, and what follows for others."""
    ordered = sorted(notebook.question.scaling, key=lambda candidate: candidate.cpus or 0)
    held = {
        candidate: rate
        for candidate in ordered
        if (rate := confirming.held_by(notebook, candidate))
    }
    lines = []
    if held:
        each = listed(
            [
                f"{_rate(notebook, candidate, rate)} on {_where(candidate)}"
                for candidate, rate in held.items()
            ]
        )
        window_s = max(candidate.window_s for candidate in held.values())
        lines.append(
            f"{ordered[0].server} holds {each}, with {notebook.question.objective.words} in fresh "
            f"runs of {window_s:g} s."
        )
    lines += [
        f"On {_where(candidate)}: {_open(notebook, candidate)}."
        for candidate in ordered
        if candidate not in held
    ]
    limited = [
        counted(candidate.cpus or 0, "CPU") for candidate in held if notebook.is_limited(candidate)
    ]
    if limited:
        lines.append(f"The load generator was the limit on {listed(limited)}, not the server.")
    if scaling.shared:
        shared = listed([str(candidate) for candidate in scaling.shared])
        lines.append(
            f"Of {shared} CPUs the load generator used some, too: the server had less than "
            "these, and what they hold says little of a machine where it has them alone."
        )
    return [*lines, *_extrapolated(scaling)]


def _extrapolated(scaling: Scaling) -> list[str]:
    law = scaling.law
    if law is None:
        return [f"No curve goes through these rates: {scaling.why}."]
    most = len(law.rates)
    return [
        f"By the Universal Scalability Law {_percent(law.contention)} of the work is done by one "
        f"CPU at a time, and each pair of CPUs costs {_percent(law.coherency)}.",
        f"Extrapolated, and never measured: {counted(most, 'CPU')} would just hold about "
        f"{_interval(law.rates[-1])}/s, if processes grow alike and nothing else binds.",
    ]


def _counts(candidates: Sequence[Candidate]) -> list[int]:
    return sorted(one.cpus for one in candidates if one.cpus is not None)


def _where(candidate: Candidate) -> str:
    """ "2 CPUs (2×8)"."""
    return f"{counted(candidate.cpus or 0, 'CPU')} ({candidate.size})"


def _rate(notebook: Notebook, candidate: Candidate, held: Held) -> str:
    """ "at least 182/s"."""
    return f"{'at least ' if notebook.is_limited(candidate) else ''}{format_number(held.rate)}/s"


def _open(notebook: Notebook, candidate: Candidate) -> str:
    """Why nothing is said to be held."""
    state, why = notebook.states.get(candidate, (State.NOT_TRIED, "not measured yet"))
    rate = notebook.estimate(candidate)
    about = f"about {format_number(rate)}/s, " if rate and state is State.MEASURED else ""
    return f"{about}{why or state.value}"


def _percent(estimate: Estimate) -> str:
    low, high = format_number(100 * estimate.low), format_number(100 * estimate.high)
    return f"{format_percent(100 * estimate.value)} [{low}, {high}]"


def _interval(estimate: Estimate) -> str:
    value, low, high = map(format_number, (estimate.value, estimate.low, estimate.high))
    return f"{value} [{low}, {high}]"


Alone = Callable[[Notebook, Candidate], Steps]
"""The search for what this one holds, on a notebook whose question asks for nothing else."""


def scale(notebook: Notebook, alone: Alone) -> Steps:
    """All of them in random order, so that a machine that slows down is not taken for CPUs that
    don't help. What one left of its time is for those after it.
    """
    question = notebook.question
    order = list(question.scaling)
    fair_s = question.budget_s / len(order)
    random.Random(question.seed).shuffle(order)
    parts = []
    for place, candidate in enumerate(order):
        assert candidate.cpus is not None
        left_s = (question.budget_s - notebook.spent_s) / (len(order) - place)
        left_s = max(left_s, min(fair_s, least_s(question.window_factor)))
        part = Notebook(
            replace(question, only=candidate, cpus=candidate.cpus, scaling=(), budget_s=left_s)
        )
        yield from _noted(notebook, part, candidate, alone(part, candidate))
        notebook.decide(candidate, *_state(part, candidate))
        notebook.unable.update(
            {f"{what} of {candidate.name}": why for what, why in part.unable.items()}
        )
        parts.append(part)
    notebook.end, notebook.said = _end(parts)


def _noted(notebook: Notebook, part: Notebook, candidate: Candidate, steps: Steps) -> Steps:
    """These steps, of which the whole notebook is told as well."""
    trial = next(steps, None)
    while trial is not None:
        seen = yield trial
        notebook.note(trial, seen)
        try:
            trial = steps.send(seen)
        except StopIteration:
            trial = None
        notebook.probe = part.probe or notebook.probe
        if candidate in part.states:
            notebook.decide(candidate, *_state(part, candidate))


def _state(part: Notebook, candidate: Candidate) -> tuple[State, str]:
    """None of them is recommended: each is what was asked for."""
    state, why = part.states.get(candidate, (State.NOT_TRIED, part.said))
    if part.end is End.NOTHING_HOLDS:
        return State.MEASURED, part.said
    if state in (State.RECOMMENDED, State.RACING):
        return State.MEASURED, "" if part.end is End.CONFIRMED else "not confirmed"
    return state, why


def _end(parts: Sequence[Notebook]) -> tuple[End | None, str]:
    """How all of them ended; not confirmed where they ended in different ways."""
    ends = {part.end for part in parts}
    reasons = "; ".join(dict.fromkeys(part.said for part in parts if part.said))
    return (ends.pop() if len(ends) == 1 else End.NOT_CONFIRMED), reasons


def unmeasured_cautions(notebook: Notebook, pick: Candidate) -> list[str]:
    """Of the CPUs that were asked for, and of a single one."""
    asked, had, cautions = notebook.question.for_cpus, notebook.question.cpus, []
    beyond = asked is not None and asked > had
    if asked is not None and beyond:
        bound = _at_most(notebook, pick, asked)
        cautions.append(
            f"No rate is said for {asked} CPUs, which the server can't have here"
            + (f"; they answer {bound}." if bound else ".")
        )
    elif asked is not None:
        cautions.append(f"The server had {counted(asked, 'CPU')}, as was asked.")
    if had == 1:
        bound = "" if beyond else _at_most(notebook, pick, 1)
        cautions.append(
            "Measured on 1 CPU: how many processes several CPUs need is not known"
            + (f"; each more answers {bound}." if bound else ".")
        )
    return cautions


def _at_most(notebook: Notebook, pick: Candidate, cpus: int) -> str:
    """By the utilisation law, which holds for any number of processes."""
    cost_s = notebook.cpu_s(pick)
    if not cost_s:
        return ""
    limit = f"{counted(cpus, 'CPU')}, {format_duration(cost_s)} of CPU time a request"
    return f"at most about {format_number(cpus / cost_s)}/s ({limit}), if nothing else binds"
