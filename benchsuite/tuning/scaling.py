"""What may be said of what one configuration holds on several numbers of CPUs, and of others."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchsuite.core.units import counted, format_duration, format_number, format_percent, listed
from benchsuite.stats.compare import Estimate
from benchsuite.stats.scalability import Law, fitted
from benchsuite.tuning import confirming
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.trial import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """One configuration on several numbers of CPUs."""

    law: Law | None  #: Through the rates that starts of the race just held.
    why: str = ""  #: Why there is none.
    shared: tuple[int, ...] = ()  #: Numbers of CPUs some of which the load generator used, too.


def scaling(notebook: Notebook) -> Scaling:
    """By the rates of CPUs that the load generator neither shared nor was the limit of."""
    sizes = {one.cpus or 0: one for one in notebook.question.scaling}
    shared = tuple(sorted(cpus for cpus in sizes if cpus > notebook.question.unshared))
    fair = [cpus for cpus in sizes if cpus not in shared and not notebook.is_limited(sizes[cpus])]
    law = fitted({cpus: list(notebook.blocks(sizes[cpus]).values()) for cpus in fair})
    if isinstance(law, str):
        return Scaling(law=None, why=law, shared=shared)
    return Scaling(law=law, shared=shared)


def sentences(notebook: Notebook, scaling: Scaling) -> Iterator[str]:
    """What each number of CPUs holds, and what follows for others."""
    ordered = sorted(notebook.question.scaling, key=lambda candidate: candidate.cpus or 0)
    held, each, unheld, limited = [], [], [], []
    for candidate in ordered:
        cpus = counted(candidate.cpus or 0, "CPU")
        if rate := confirming.held_by(notebook, candidate):
            held.append(rate)
            limited += [cpus] * notebook.is_limited(candidate)
            at_least = "at least " * notebook.is_limited(candidate)
            each.append(f"{at_least}{format_number(rate.rate)}/s on {cpus} ({candidate.size})")
        else:
            state, why = notebook.states.get(candidate, (State.NOT_TRIED, "not measured yet"))
            estimate = notebook.estimate(candidate) if state is State.MEASURED else None
            about = f"about {format_number(estimate)}/s, " if estimate else ""
            unheld.append(f"On {cpus} ({candidate.size}): {about}{why or state.value}.")
    if held:
        window_s, objective = max(one.window_s for one in held), notebook.question.objective.words
        runs = f"with {objective} in fresh runs of {window_s:g} s"
        yield f"{ordered[0].server} holds {listed(each)}, {runs}."
    yield from unheld
    if limited:
        yield f"The load generator was the limit on {listed(limited)}, not the server."
    if scaling.shared:
        yield (
            f"Of {listed([*map(str, scaling.shared)])} CPUs the load generator used some, too: the "
            "server had less than these, and what they hold says little of a machine where it has "
            "them alone."
        )
    if (law := scaling.law) is None:
        yield f"No curve goes through these rates: {scaling.why}."
        return
    yield (
        f"By the Universal Scalability Law {_percent(law.contention)} of the work is done by one "
        f"CPU at a time, and each pair of CPUs costs {_percent(law.coherency)}."
    )
    farthest, cpus = law.rates[-1], counted(len(law.rates), "CPU")
    most, low, high = map(format_number, (farthest.value, farthest.low, farthest.high))
    yield (
        f"Extrapolated, and never measured: {cpus} would just hold about {most} [{low}, {high}]/s, "
        "if processes grow alike and nothing else binds."
    )


def _percent(estimate: Estimate) -> str:
    low, high = format_number(100 * estimate.low), format_number(100 * estimate.high)
    return f"{format_percent(100 * estimate.value)} [{low}, {high}]"


def unmeasured_cautions(notebook: Notebook, pick: Candidate) -> Iterator[str]:
    """Of the CPUs that were asked for, and of a single one."""
    had, cost_s = notebook.question.cpus, notebook.cpu_s(pick)
    asked = notebook.question.for_cpus or 0

    def bound(cpus: int, who: str) -> str:
        """By the utilisation law, which holds for any number of processes."""
        if not cost_s:
            return "."
        limit = f"{counted(cpus, 'CPU')}, {format_duration(cost_s)} of CPU time a request"
        rate = format_number(cpus / cost_s)
        return f"; {who} at most about {rate}/s ({limit}), if nothing else binds."

    if asked > had:
        beyond = f"No rate is said for {asked} CPUs, which the server can't have here"
        yield beyond + bound(asked, "they answer")
    if had == 1:
        each = "." if asked > had else bound(1, "each more answers")
        yield f"Measured on 1 CPU: how many processes several CPUs need is not known{each}"
