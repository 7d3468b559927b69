"""What the numbers of CPUs that were measured show of one configuration, and of others not."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchsuite.core.units import format_number, format_percent, listed
from benchsuite.stats.scalability import Estimate, Law, NoLaw, fitted
from benchsuite.tuning import confirming
from benchsuite.tuning.bounds import counted
from benchsuite.tuning.confirming import Held
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.trial import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """One configuration on several numbers of CPUs."""

    law: Law | None  #: Through the rates that starts of the race just held.
    why: str = ""  #: Why there is none.
    shared: tuple[int, ...] = ()  #: Numbers of CPUs some of which the load generator used, too.


def scaling(book: Notebook) -> Scaling:
    """Rates count for the law where nothing but the CPUs of the server was another one: not those
    that the load generator shared, nor those that it limited.
    """
    question = book.question
    shared = tuple(one for one in _counts(question.scaling) if one > question.unshared)
    found = fitted(
        {
            one.cpus: list(book.blocks(one).values())
            for one in question.scaling
            if one.cpus and one.cpus not in shared and not book.is_limited(one)
        }
    )
    if isinstance(found, NoLaw):
        return Scaling(law=None, why=found.why, shared=shared)
    return Scaling(law=found, shared=shared)


def sentences(book: Notebook, found: Scaling) -> list[str]:
    """What each number of CPUs holds, and what follows for others."""
    ordered = sorted(book.question.scaling, key=lambda one: one.cpus or 0)
    held = {one: rate for one in ordered if (rate := confirming.held(book, one))}
    said = []
    if held:
        each = listed([f"{_rate(book, one, rate)} on {_where(one)}" for one, rate in held.items()])
        window_s = max(one.window_s for one in held.values())
        said.append(
            f"{ordered[0].server} holds {each}, with {book.question.objective.words} in fresh "
            f"starts of {window_s:g} s."
        )
    said += [f"On {_where(one)}: {_open(book, one)}." for one in ordered if one not in held]
    limited = [counted(one.cpus or 0, "CPU") for one in held if book.is_limited(one)]
    if limited:
        said.append(f"The load generator was the limit on {listed(limited)}, not the server.")
    if found.shared:
        shared = listed([str(one) for one in found.shared])
        said.append(
            f"Of {shared} CPUs the load generator used some, too: the server had less than "
            "these, and what they hold says little of a machine where it has them alone."
        )
    return [*said, *_extrapolated(found)]


def _extrapolated(found: Scaling) -> list[str]:
    law = found.law
    if law is None:
        return [f"No curve goes through these rates: {found.why}."]
    most = len(law.rates)
    return [
        f"By the Universal Scalability Law {_percent(law.contention)} of the work is done by one "
        f"CPU at a time, and each pair of CPUs costs {_percent(law.coherency)}.",
        f"Extrapolated, and never measured: {counted(most, 'CPU')} would just hold about "
        f"{_interval(law.rates[-1])}/s, if processes grow alike and nothing else binds.",
    ]


def _counts(candidates: Sequence[Candidate]) -> list[int]:
    return sorted(one.cpus for one in candidates if one.cpus is not None)


def _where(one: Candidate) -> str:
    """ "2 CPUs (2×8)"."""
    return f"{counted(one.cpus or 0, 'CPU')} ({one.size})"


def _rate(book: Notebook, one: Candidate, held: Held) -> str:
    """ "at least 182/s"."""
    return f"{'at least ' if book.is_limited(one) else ''}{format_number(held.rate)}/s"


def _open(book: Notebook, one: Candidate) -> str:
    """Why nothing is said to be held."""
    state, why = book.states.get(one, (State.NOT_TRIED, "not measured yet"))
    rate = book.estimate(one)
    about = f"about {format_number(rate)}/s, " if rate and state is State.MEASURED else ""
    return f"{about}{why or state.value}"


def _percent(one: Estimate) -> str:
    low, high = format_number(100 * one.low), format_number(100 * one.high)
    return f"{format_percent(100 * one.value)} [{low}, {high}]"


def _interval(one: Estimate) -> str:
    return f"{format_number(one.value)} [{format_number(one.low)}, {format_number(one.high)}]"
