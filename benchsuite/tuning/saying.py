"""What a tuning found, in sentences."""

from collections.abc import Sequence

from benchsuite.core.units import format_bytes, format_count, format_number
from benchsuite.tuning import confirming, scaling, spread
from benchsuite.tuning.confirming import FEWEST_MISSES, Held
from benchsuite.tuning.making import CONFIRMING_S
from benchsuite.tuning.notebook import End, Notebook, State
from benchsuite.tuning.planning import PLANS
from benchsuite.tuning.trial import Candidate, Phase

SOON = (Phase.LADDER, Phase.RACE)
STARTS = PLANS[0].starts  #: That confirm.


def first(book: Notebook, pick: Candidate | None, held: Held | None) -> str:
    """The answer in one sentence."""
    objective = book.question.objective.words
    if book.end is End.REFUSED:
        return f"Nothing was started. {_capital(book.said)}."
    if book.end is End.NOTHING_RAN:
        return f"Nothing could be measured{f': {book.said}' if book.said else ''}."
    if book.end is End.NOTHING_HOLDS:
        rate = book.question.rate
        asked = f" at {format_number(rate)}/s" if rate else ""
        return f"Nothing holds {objective}{asked}: {book.said}."
    if pick is None:
        return _begun(book)
    if held is None:
        return _unconfirmed(book, pick)
    least = ""
    if book.question.rate is not None and book.end is End.CONFIRMED:
        memory = book.memory_bytes(pick)
        least = f" Of all that were tried it needs least: {format_bytes(memory)}." if memory else ""
    at_least = "at least " if book.is_limited(pick) else ""
    limit = " The load generator was the limit, not the server." if at_least else ""
    rate = book.question.rate or held.rate
    return (
        f"{described(pick)} holds {at_least}{format_number(rate)}/s with {_goals(book)} "
        f"({_evidence(book, held)}).{limit}{least}{_now(book, pick)}"
    )


def became(state: State, why: str, between: str = ": ") -> str:
    """ "refused: it may open 512 connections", "dropped after 3 starts"."""
    return why if state.value in why else between.join(filter(None, (state.value, why)))


def described(candidate: Candidate) -> str:
    """ "gunicorn-gthread with 3 processes of 8 threads"."""
    processes = f"{candidate.processes} process{'es' * (candidate.processes != 1)}"
    threads = ""
    if candidate.threads is not None:
        threads = f" of {candidate.threads} thread{'s' * (candidate.threads != 1)}"
    settings = "".join(f", {one}" for one in candidate.settings)
    return f"{candidate.server} with {processes}{threads}{settings}"


def tied(book: Notebook, pick: Candidate, others: Sequence[tuple[Candidate, str]]) -> str:
    named = ", ".join(f"{one.name}{ratio}" for one, ratio in others)
    memory = book.memory_bytes(pick)
    theirs = [book.memory_bytes(one) or 0.0 for one, _ in others]
    least = ""
    if memory and memory <= min(theirs):
        least = f" It has the least memory: {format_bytes(memory)}."
    return f"Not told apart from it: {named}.{least}"


def estimates(own: float) -> str:
    """What may be compared, where another is estimated above what the pick is shown to hold."""
    return (
        "Estimates are of the short windows of the search: compare those of others with its own, "
        f"{format_number(own)}/s, and not with what it holds."
    )


def cliff(low: float, high: float) -> str:
    return (
        f"It collapses between {format_number(low)} and {format_number(high)}/s: stay below the "
        "first."
    )


def cautions(book: Notebook, pick: Candidate) -> list[str]:
    """What the figures don't say by themselves."""
    question, found = book.question, []
    for kind, limit in question.connections_limit.items():
        if pick.connections is None or limit is None:
            continue
        needed = pick.connections * question.instances * question.aliases.get(kind, 1)
        restart = (
            f"; while a restart overlaps, {2 * needed}, too many" if 2 * needed > limit else ""
        )
        found.append(
            f"It opens at most {needed} of the {limit} connections that {kind} has{restart}."
        )
    return [*found, *spread.cautions(book, pick), *scaling.unmeasured_cautions(book, pick)]


def missing(book: Notebook, pick: Candidate | None, held: Held | None) -> str:
    """What a longer search would add."""
    found = []
    if book.end is None:
        confirmed = len(book.of(pick, Phase.CONFIRM)) if pick else 0
        found.append(
            f"{STARTS - confirmed} fresh starts" if 0 < confirmed < STARTS else _rest(book)
        )
    cut = sum(state is State.NOT_TRIED for state, _ in book.states.values())
    if cut:
        found.append(f"{cut} candidate{'s' * (cut != 1)} for which the budget left no time")
    if _unraced(book):
        found.append("a race of those that came near, for which the budget left no time")
    now = book.question.current
    ended = book.end in (End.CONFIRMED, End.NOT_CONFIRMED)
    if ended and now and now in book.states and not book.of(now, Phase.CONFIRM):
        found.append("fresh starts of what runs now")
    if held is not None:
        found += _not_shown(book, held)
        if held.window_s <= CONFIRMING_S:
            found.append(f"windows longer than {held.window_s:g} s (--thorough)")
    return f"A longer search would add {'; '.join(found)}." if found else ""


def _unraced(book: Notebook) -> bool:
    """Whether the pick is the best of several by a start or two of each."""
    if book.question.rate is not None or book.end not in (End.CONFIRMED, End.NOT_CONFIRMED):
        return False
    raced = any(one.trial.phase is Phase.RACE for one in book.entries)
    screened = {one.trial.candidate for one in book.entries if one.trial.phase is Phase.SCREEN}
    return not raced and len(screened) > 1 and not any(map(book.is_limited, screened))


def _rest(book: Notebook) -> str:
    phases = {entry.trial.phase for entry in book.entries}
    steps = ("the screening", "the race", "fresh starts of the best")
    done = 0 if Phase.SCREEN not in phases else 1
    return ", ".join(steps[2 if Phase.CONFIRM in phases else done :])


def _not_shown(book: Notebook, held: Held) -> list[str]:
    """Goals that allow so few misses that so few requests can't show them."""
    return [
        f"{format_count(FEWEST_MISSES / (1 - goal.share))} requests, which {goal.words} takes to "
        f"be shown ({format_count(held.planned)} were planned)"
        for goal in book.question.objective.goals
        if held.planned * (1 - goal.share) < FEWEST_MISSES
    ]


def _goals(book: Notebook) -> str:
    """ "95 % answered within 200 ms"."""
    return " and ".join(
        f"{100 * goal.share:.6g} % answered"
        + ("" if goal.within_s is None else f" within {1000 * goal.within_s:.6g} ms")
        for goal in book.question.objective.goals
    )


def _evidence(book: Notebook, held: Held) -> str:
    planned = format_count(held.planned)
    most = f"at most {100 * confirming.at_most(held.failures, held.planned):.2g} % fail"
    first, *_ = book.question.objective.goals
    how = "right" if first.within_s is None else "in time"
    failures = (
        f"no failure in {planned}" if not held.failures else f"{held.failures} of {planned} failed"
    )
    flattered = f"{100 * (held.shown / held.rate - 1):.2g} %"
    return (
        f"measured at {format_number(held.shown)}/s, as windows of {held.window_s:.3g} s flatter "
        f"by about {flattered}: {100 * held.share:.1f} % {how}, [{100 * held.low:.1f}, "
        f"{100 * held.high:.1f}], in {held.starts} fresh starts; {failures}, so {most}"
    )


def _now(book: Notebook, pick: Candidate) -> str:
    now = book.question.current
    if now is None:
        return ""
    if now == pick:
        return " It is what runs now."
    if held := confirming.held_by(book, now):
        return f" {now.name}, which runs now, holds {format_number(held.rate)}/s."
    if rates := confirming.rates_of(book, now):
        rate = f"{format_number(rates[0])}/s"
        if confirming.missed(book, now, rates[0]):
            return f" {now.name}, which runs now, did not hold {rate}."
        return f" {now.name}, which runs now, is not shown to hold {rate}: {_seen(book, now)}."
    if now not in book.states:
        return ""
    return f" What runs now, {now.name}: {became(*book.states[now], between=', ')}."


def _seen(book: Notebook, candidate: Candidate) -> str:
    """ "90.6 % were in time in 3 fresh starts", at the lowest of their rates."""
    shares = confirming.shares(book, candidate, confirming.rates_of(book, candidate)[0])
    starts = f"{len(shares)} fresh start{'s' * (len(shares) != 1)}"
    return f"{100 * sum(shares) / len(shares):.3g} % were in time in {starts}"


def _unconfirmed(book: Notebook, pick: Candidate) -> str:
    found, rates = book.estimate(pick), confirming.rates_of(book, pick)
    if rates and book.end is not None:
        return (
            f"{described(pick)} is the best found, and not confirmed: at "
            f"{format_number(rates[0])}/s {_seen(book, pick)}.{_now(book, pick)}"
        )
    if found is not None:
        starts = len(book.of(pick, *SOON))
        return (
            f"So far {described(pick)} leads with about {format_number(found)}/s, after "
            f"{starts} start{'s' * (starts != 1)}; not confirmed."
        )
    if book.question.rate is not None:
        return (
            f"So far {described(pick)} needs least of those that may hold "
            f"{format_number(book.question.rate)}/s; not confirmed."
        )
    through = book.screened(pick)
    most = f": {format_number(through)}/s under a full load" if through else ""
    return f"So far {described(pick)} gets most through{most}; no rate was tried yet."


def _begun(book: Notebook) -> str:
    if book.probe is not None:
        whole, cpu = 1000 * book.probe.response_s, 1000 * book.probe.cpu_s
        return (
            f"So far only one size was probed: a request takes {whole:.3g} ms, {cpu:.3g} ms of "
            "that on a CPU."
        )
    return "Nothing has been measured yet."


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
