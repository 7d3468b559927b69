"""After the answer: what limits the pick, and other settings of it that something speaks for."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from statistics import fmean

from benchsuite.bottlenecks.evidence import Other
from benchsuite.core.units import counted, format_bytes, format_number
from benchsuite.servers.base import Against
from benchsuite.stats.compare import ratio
from benchsuite.tuning.candidates import refusal
from benchsuite.tuning.confirming import Held
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.planning import DIAGNOSING_S, Making, Steps
from benchsuite.tuning.trial import Candidate, Load, Phase

LOOKS = {  #: What it is called, and what it is made for.
    Phase.DIAGNOSE: ("a diagnostic run", "what limits the pick: queries and pauses are timed"),
    Phase.FLAME: ("a flame graph", "where its CPU time goes: a profiler looks at it"),
}
OF_CPU = ("L01", "L02")
FLAME_S = 10.0  #: A thousand samples of a busy process.
STRAIN = (1.5, 0.5, 0.5)  #: Of what it holds: whether it recovers.
STRAIN_S = 4.0
NO_TIME = "the budget left no time for it"


def others(notebook: Notebook, candidate: Candidate) -> list[Other]:
    """Other sizes of its server, and of the other interface, with enough starts for an interval."""
    return [
        Other(
            processes=rival.processes * notebook.question.instances,
            threads=rival.threads or 1,
            interface=rival.interface,
            rate=rate,
            cpu=cpu,
        )
        for rival in notebook.states
        if rival.server == candidate.server or rival.interface != candidate.interface
        if rival != candidate
        and (rate := ratio(notebook.blocks(candidate), notebook.blocks(rival)))
        and (cpu := ratio(_cpu(notebook, candidate), _cpu(notebook, rival)))
    ]


def _cpu(notebook: Notebook, candidate: Candidate) -> dict[int, float]:
    """Seed of each start → the logarithm of a request's CPU time."""
    entries = notebook.of(candidate, Phase.RACE, Phase.BISECT)
    return {one.trial.seed: math.log(one.seen.cpu_s) for one in entries if one.seen.cpu_s}


def diagnose(making: Making, pick: Candidate, held: Held) -> Steps[None]:
    """At the rate of the answer; a profiler looks, too, where the CPU is the limit."""
    if pick.runs_already:
        return
    load = making.load(1, DIAGNOSING_S, rates=(making.question.rate or held.rate,))
    named = yield from _look(making, pick, Phase.DIAGNOSE, load)
    if making.question.profiles and any(code.startswith(OF_CPU) for code in named):
        yield from _look(making, pick, Phase.FLAME, replace(load, window_s=FLAME_S))


def _look(making: Making, pick: Candidate, phase: Phase, load: Load) -> Steps[Sequence[str]]:
    """The limits that a start names, which is not made again, whatever it shows."""
    (what, reason), unable = LOOKS[phase], making.notebook.unable
    if making.cost_s(load) > making.unspent_s:
        unable[what] = NO_TIME
        return ()
    seen = yield from making.start(pick, phase, load, reason)
    if seen.failure or seen.says_nothing:
        unable[what] = seen.cause or seen.words(making.question.objective.goals[0])
    return seen.named


def overload(making: Making, pick: Candidate) -> Steps[None]:
    """One start of a confirmed pick shows whether it recovers once more came than it holds."""
    notebook = making.notebook
    rates = [share * (notebook.estimate(pick) or 0.0) for share in STRAIN]
    load = making.load(1, STRAIN_S, rates=rates)
    if making.cost_s(load) <= making.left_s and not notebook.is_limited(pick):
        reason = "half as much again as it just held, then half: whether it recovers"
        yield from making.start(pick, Phase.STRAIN, load, reason)


Variants = Callable[[Candidate, Against], Iterable[Candidate]]  #: What may help against that.

BY_LIMIT = {  #: Number of a limit → what it calls for.
    "L04d": Against.CONNECTING,
    "L09": Against.UNEVEN,
    "L12": Against.MEMORY,
    "L14": Against.SYNC_VIEWS,
    "L15": Against.COLLECTING,
}
SAVING = (Against.MEMORY, Against.ARENAS)
LEVELS = (0.95, 1.05, 1.15)  #: Of the pick's estimate: there it shows who holds more.
STARTS = 3  #: Of each, before it is worth more.
WORTH = 0.03  #: Nobody would act on less; each pair of starts shows more.
NEAR = 0.8  #: Of the memory that is allowed.


def reasons(notebook: Notebook, pick: Candidate) -> dict[Against, str]:
    """What variants of the pick are worth a start, each with what speaks for it."""
    named = (code for entry in notebook.of(pick, Phase.DIAGNOSE) for code in entry.seen.named)
    numbers = {code.partition(" ")[0]: code for code in named}
    by_reason = {against: numbers[one] for one, against in BY_LIMIT.items() if one in numbers}
    limit, memory = notebook.question.objective.memory_bytes, notebook.memory_bytes(pick)
    if notebook.question.rate is not None:
        by_reason.setdefault(Against.MEMORY, "least memory is asked for")
    elif limit and memory and (notebook.decided(State.OVER) or memory >= NEAR * limit):
        why = f"it takes {format_bytes(memory)} of {format_bytes(limit)}"
        by_reason.setdefault(Against.MEMORY, why)
    if Against.MEMORY in by_reason and (pick.threads or 1) > 1:
        by_reason[Against.ARENAS] = by_reason[Against.MEMORY]
    return by_reason


def vary(making: Making, pick: Candidate, held: Held, variants: Variants) -> Steps[None]:
    """All of them, where time is left; nothing else is taken from it."""
    notebook = making.notebook
    for against, why in sorted(reasons(notebook, pick).items(), key=lambda pair: pair[0] in SAVING):
        for variant in variants(pick, against):
            if refused := refusal(making.question, variant):
                notebook.decide(variant, State.REFUSED, refused)
            elif variant not in notebook.states:
                yield from _try(making, pick, held, variant, why, saves=against in SAVING)


def _try(
    making: Making, pick: Candidate, held: Held, variant: Candidate, why: str, *, saves: bool
) -> Steps[None]:
    """In turn with the pick, at the same arrivals; alone at its rate, where it `saves` memory."""
    notebook, rate = making.notebook, making.question.rate or held.rate
    before, highest = notebook.memory_bytes(pick), notebook.estimate(pick) or held.rate
    turns, load = [variant], making.confirming((rate,))
    if not saves:
        turns, load = [pick, variant], making.load(1, 5, rates=[one * highest for one in LEVELS])
    if making.cost_s(load, STARTS * len(turns)) > making.unspent_s:
        notebook.decide(variant, State.NOT_TRIED, f"{why}, and {NO_TIME}")
        return
    for place in range(STARTS):
        for candidate in making.shuffled(turns):
            reason = why if candidate == variant else "beside its variants"
            yield from making.start(candidate, Phase.VARY, load, reason, place)
    entries, after = notebook.of(variant, Phase.VARY), notebook.memory_bytes(variant)
    points, gains = notebook.points(entries), _gains(notebook, pick, variant)
    state, shown = State.NO_STATEMENT, "its runs say nothing"
    if points and saves and after and before:
        shown = f"{_more(after / before)} memory in {counted(len(points), 'run')} ({why})"
        state = State.WORTH_TRYING if after <= (1 - WORTH) * before else State.NO_DIFFERENCE
        if min(point.margin for point in points) < 0:
            state, shown = State.DROPPED, f"it missed {format_number(rate)}/s; {shown}"
    elif gains:
        gain = math.exp(fmean(gains))
        shown = f"{_more(gain)} in {counted(len(gains), 'run')} of each ({why})"
        state = State.DROPPED if gain < 1 - WORTH else State.NO_DIFFERENCE
        if len(gains) == STARTS and min(gains) >= math.log1p(WORTH):
            state = State.WORTH_TRYING
    notebook.decide(variant, state, shown + ", not confirmed" * (state is State.WORTH_TRYING))


def _gains(notebook: Notebook, pick: Candidate, variant: Candidate) -> list[float]:
    """The logarithm of what it holds to what the pick holds, pair by pair of starts."""
    if (whole := notebook.crossing(pick, Phase.VARY)) is None:
        return []
    picks = dict(notebook.limits(notebook.of(pick, Phase.VARY), whole))
    mine = notebook.limits(notebook.of(variant, Phase.VARY), whole)
    return [limit - picks[seed] for seed, limit in mine if seed in picks]


def _more(times: float) -> str:
    """ "12 % more", "as much"."""
    percent = round(100 * abs(times - 1))
    return f"{percent} % {'more' if times > 1 else 'less'}" if percent else "as much"
