"""What one configuration holds on several numbers of CPUs, and what may be said of others."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from benchsuite.core.units import counted, format_duration, format_number, format_percent, listed
from benchsuite.stats.compare import Estimate
from benchsuite.stats.scalability import Law, fitted
from benchsuite.tuning import confirming
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
    counts = sorted(one.cpus for one in question.scaling if one.cpus is not None)
    shared = tuple(one for one in counts if one > question.unshared)
    law = fitted(
        {
            one.cpus: list(notebook.blocks(one).values())
            for one in question.scaling
            if one.cpus and one.cpus not in shared and not notebook.is_limited(one)
        }
    )
    if isinstance(law, str):
        return Scaling(law=None, why=law, shared=shared)
    return Scaling(law=law, shared=shared)


def sentences(notebook: Notebook, scaling: Scaling) -> Iterator[str]:
    """What each number of CPUs holds, and what follows for others."""
    ordered = sorted(notebook.question.scaling, key=lambda candidate: candidate.cpus or 0)
    names = {one: f"{counted(one.cpus or 0, 'CPU')} ({one.size})" for one in ordered}
    held = {one: found for one in ordered if (found := confirming.held_by(notebook, one))}
    limited = [one for one in held if notebook.is_limited(one)]
    if held:
        each = [
            f"{'at least ' * (one in limited)}{format_number(found.rate)}/s on {names[one]}"
            for one, found in held.items()
        ]
        window_s = max(found.window_s for found in held.values())
        objective = notebook.question.objective.words
        yield (
            f"{ordered[0].server} holds {listed(each)}, with {objective} in fresh runs of "
            f"{window_s:g} s."
        )
    for one in ordered:
        if one not in held:
            state, why = notebook.states.get(one, (State.NOT_TRIED, "not measured yet"))
            rate = notebook.estimate(one) if state is State.MEASURED else None
            about = f"about {format_number(rate)}/s, " if rate else ""
            yield f"On {names[one]}: {about}{why or state.value}."
    if limited:
        on = listed([counted(one.cpus or 0, "CPU") for one in limited])
        yield f"The load generator was the limit on {on}, not the server."
    if scaling.shared:
        yield (
            f"Of {listed([str(one) for one in scaling.shared])} CPUs the load generator used some, "
            "too: the server had less than these, and what they hold says little of a machine "
            "where it has them alone."
        )
    if (law := scaling.law) is None:
        yield f"No curve goes through these rates: {scaling.why}."
        return
    contention, coherency = map(_percent, (law.contention, law.coherency))
    yield (
        f"By the Universal Scalability Law {contention} of the work is done by one CPU at a time, "
        f"and each pair of CPUs costs {coherency}."
    )
    farthest = law.rates[-1]
    most, low, high = map(format_number, (farthest.value, farthest.low, farthest.high))
    yield (
        f"Extrapolated, and never measured: {counted(len(law.rates), 'CPU')} would just hold about "
        f"{most} [{low}, {high}]/s, if processes grow alike and nothing else binds."
    )


def _percent(estimate: Estimate) -> str:
    low, high = format_number(100 * estimate.low), format_number(100 * estimate.high)
    return f"{format_percent(100 * estimate.value)} [{low}, {high}]"


def scale(notebook: Notebook, alone: Callable[[Notebook], Any]) -> Steps[None]:
    """All of them in random order, so that a machine that slows down is not taken for CPUs that
    don't help. What one left of its time is for those after it. `alone` makes the `Searching` of
    one of them, on a notebook whose question asks for nothing else.
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
        searching = alone(part)
        while (trial := searching.next) is not None:
            seen = yield trial
            notebook.note(trial, seen)
            searching.tell(seen)
            notebook.probe = part.probe or notebook.probe
            if candidate in part.states:
                notebook.decide(candidate, *_state(part, candidate))
        notebook.decide(candidate, *_state(part, candidate))
        names = {f"{what} of {candidate.name}": why for what, why in part.unable.items()}
        notebook.unable.update(names)
        parts.append(part)
    ends = {part.end for part in parts}
    notebook.end = ends.pop() if len(ends) == 1 else End.NOT_CONFIRMED
    notebook.said = "; ".join(dict.fromkeys(part.said for part in parts if part.said))


def _state(part: Notebook, candidate: Candidate) -> tuple[State, str]:
    """None of them is recommended: each is what was asked for."""
    state, why = part.states.get(candidate, (State.NOT_TRIED, part.said))
    if part.end is End.NOTHING_HOLDS and state is not State.OVER:
        return State.MEASURED, part.said
    if state in (State.RECOMMENDED, State.RACING):
        return State.MEASURED, "" if part.end is End.CONFIRMED else "not confirmed"
    return state, why


def unmeasured_cautions(notebook: Notebook, pick: Candidate) -> Iterator[str]:
    """Of the CPUs that were asked for, and of a single one."""
    asked, had = notebook.question.for_cpus, notebook.question.cpus
    cost_s = notebook.cpu_s(pick)

    def bound(cpus: int, who: str) -> str:
        """By the utilisation law, which holds for any number of processes."""
        if not cost_s:
            return "."
        limit = f"{counted(cpus, 'CPU')}, {format_duration(cost_s)} of CPU time a request"
        rate = format_number(cpus / cost_s)
        return f"; {who} at most about {rate}/s ({limit}), if nothing else binds."

    if asked is not None and asked > had:
        beyond = f"No rate is said for {asked} CPUs, which the server can't have here"
        yield beyond + bound(asked, "they answer")
    elif asked is not None:
        yield f"The server had {counted(asked, 'CPU')}, as was asked."
    if had == 1:
        each = "." if asked is not None and asked > had else bound(1, "each more answers")
        yield f"Measured on 1 CPU: how many processes several CPUs need is not known{each}"
