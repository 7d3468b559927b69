"""After the answer: what limits the pick, and the pick in other settings, where something that was
seen speaks for them. Starts of the diagnosis never count.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from benchsuite.bottlenecks.evidence import Other, ratio
from benchsuite.core.units import format_bytes
from benchsuite.servers.base import Against
from benchsuite.stats.compare import Outcome, compare
from benchsuite.stats.levels import crossing, shifted
from benchsuite.tuning.candidates import refusal
from benchsuite.tuning.confirming import Held, fresh, held_by
from benchsuite.tuning.notebook import End, Notebook, State
from benchsuite.tuning.planning import Making, Steps
from benchsuite.tuning.trial import Candidate, Phase

WHAT, FLAME = "a diagnostic run", "a flame graph"
OF_CPU = ("L01", "L02")
FLAME_S = 10.0  #: A thousand samples of a busy process.
STRAIN = (1.5, 0.5, 0.5)  #: Of what it holds: whether it recovers.
STRAIN_S = 4.0
NO_TIME = "the budget left no time for it"


def others(notebook: Notebook, candidate: Candidate) -> list[Other]:
    """Other sizes of its server, and servers of the other interface, that were started at the same
    arrivals often enough for an interval.
    """
    rivals = []
    for rival in notebook.states:
        if rival.server != candidate.server and rival.interface == candidate.interface:
            continue
        rate = ratio(notebook.blocks(candidate), notebook.blocks(rival))
        cpu = ratio(_cpu(notebook, candidate), _cpu(notebook, rival))
        if rival != candidate and rate and cpu:
            rivals.append(
                Other(
                    processes=rival.processes,
                    threads=rival.threads or 1,
                    interface=rival.interface,
                    rate=rate,
                    cpu=cpu,
                )
            )
    return rivals


def _cpu(notebook: Notebook, candidate: Candidate) -> dict[int, float]:
    """Seed of each start → the logarithm of a request's CPU time."""
    return {
        one.trial.seed: math.log(one.seen.cpu_s)
        for one in notebook.of(candidate, Phase.RACE, Phase.BISECT)
        if one.seen.cpu_s
    }


def diagnose(making: Making) -> Steps:
    """At the highest rate that was confirmed, or the one that was asked for; none where nothing was
    confirmed. It is not made again, whatever it shows. A profiler looks, too, where the CPU is the
    limit.
    """
    notebook, pick = making.notebook, making.notebook.pick()
    held = held_by(notebook, pick) if pick else None
    if notebook.end is not End.CONFIRMED or pick is None or held is None:
        return
    load = making.diagnosing((making.question.rate or held.rate,))
    if making.cost_s(load) > making.unspent_s:
        notebook.unable[WHAT] = NO_TIME
        return
    reason = "what limits the pick: queries and pauses are timed"
    seen = yield from making.start(pick, Phase.DIAGNOSE, load, reason, again=False)
    if seen.failure or seen.says_nothing:
        notebook.unable[WHAT] = seen.failure or f"it was disturbed: {', '.join(seen.codes)}"
    if not making.question.profiles or not any(code.startswith(OF_CPU) for code in seen.named):
        return
    load = replace(load, window_s=FLAME_S)
    if making.cost_s(load) > making.unspent_s:
        notebook.unable[FLAME] = NO_TIME
        return
    reason = "where its CPU time goes: a profiler looks at it"
    seen = yield from making.start(pick, Phase.FLAME, load, reason, again=False)
    if seen.failure:
        notebook.unable[FLAME] = seen.failure


def overload(making: Making, pick: Candidate) -> Steps:
    """One start of a confirmed pick shows whether it recovers once more came than it holds."""
    held, notebook = held_by(making.notebook, pick), making.notebook
    rates = [share * held.rate for share in STRAIN if held]
    load = making.load(1, STRAIN_S, rates=rates)
    if rates and making.cost_s(load) <= making.left_s and not notebook.is_limited(pick):
        reason = "more than it holds, and then half of it: whether it recovers"
        yield from making.start(pick, Phase.STRAIN, load, reason, again=False)


Variants = Callable[[Candidate, Against], Sequence[Candidate]]
"""The same size in the settings that may help against that; none where its server knows none."""
Wanted = dict[Candidate, str]  #: Variant → what speaks for it.

BY_LIMIT = {
    "L04d": Against.CONNECTING,
    "L09": Against.UNEVEN,
    "L12": Against.MEMORY,
    "L14": Against.SYNC_VIEWS,
    "L15": Against.COLLECTING,
}
"""Number of a limit → what it calls for."""

LEVELS = (0.95, 1.05, 1.15)  #: Of the pick's estimate: there it shows who holds more.
STARTS = 2  #: Of each, before it is worth more.
WORTH = 0.03  #: Nobody would act on less.
NEAR = 0.8  #: Of the memory that is allowed.


def reasons(notebook: Notebook, pick: Candidate) -> dict[Against, str]:
    """What variants of the pick are worth a start, each with what speaks for it."""
    named = (code for entry in notebook.of(pick, Phase.DIAGNOSE) for code in entry.seen.named)
    numbers = {code.partition(" ")[0]: code for code in named}
    by_reason = {against: numbers[one] for one, against in BY_LIMIT.items() if one in numbers}
    limit, memory = notebook.question.objective.memory_bytes, notebook.memory_bytes(pick)
    over = any(state is State.OVER for state, _ in notebook.states.values())
    if notebook.question.rate is not None:
        by_reason.setdefault(Against.MEMORY, "least memory is asked for")
    elif limit is not None and memory is not None and (over or memory >= NEAR * limit):
        why = f"it takes {format_bytes(memory)} of {format_bytes(limit)}"
        by_reason.setdefault(Against.MEMORY, why)
    if Against.MEMORY in by_reason and (pick.threads or 1) > 1:
        by_reason[Against.ARENAS] = by_reason[Against.MEMORY]
    return by_reason


def vary(making: Making, variants: Variants) -> Steps:
    """All of them, where the pick is confirmed and time is left; nothing else is taken from it."""
    notebook, pick = making.notebook, making.notebook.pick()
    held = held_by(notebook, pick) if pick else None
    if notebook.end is not End.CONFIRMED or pick is None or held is None:
        return
    faster: Wanted = {}
    smaller: Wanted = {}
    for against, why in reasons(notebook, pick).items():
        saves = against in (Against.MEMORY, Against.ARENAS)
        for variant in variants(pick, against):
            if refused := refusal(making.question, variant):
                notebook.decide(variant, State.REFUSED, refused)
            elif variant not in faster:
                (smaller if saves else faster)[variant] = why
    yield from _race(making, pick, held, faster)
    yield from _save(making, pick, held, smaller)


def _race(making: Making, pick: Candidate, held: Held, wanted: Wanted) -> Steps:
    """In turn with starts of the pick, at the same arrivals. Two starts of each are soon better by
    chance: those that look better are raced on, and the best confirmed where the interval shows it.
    """
    notebook = making.notebook
    rate = notebook.estimate(pick) or held.rate
    load = making.load(1, 5, rates=[level * rate for level in LEVELS])
    racing = _room(making, wanted, int(making.unspent_s / making.cost_s(load, STARTS)) - 1)
    for place in range(max(held.starts, STARTS)):
        if place >= STARTS:
            cost_s = making.cost_s(load, (held.starts - place) * (1 + len(racing)))
            if cost_s + _confirm_s(making, pick, held) > making.unspent_s:
                break
        for each in making.shuffled([pick, *racing]) if racing else []:
            why = wanted.get(each, "beside its variants")
            yield from making.start(each, Phase.VARY, load, why, place=place, ends_early=True)
        for variant in list(racing):
            mine, picks = (_logarithms(notebook, pick, one) for one in (variant, pick))
            gains = [mine[seed] - picks[seed] for seed in mine if seed in picks]
            gain = math.exp(sum(gains) / len(gains)) if gains else None
            told = f"{_more(gain or 1.0)} in {place + 1} runs of each ({wanted[variant]})"
            state, why = State.WORTH_TRYING, f"{told}, not confirmed"
            if gain is None:
                state, why = State.NO_STATEMENT, "its runs say nothing"
            elif abs(gain - 1) < WORTH:
                state, why = State.NO_DIFFERENCE, told
            elif gain < 1:
                state, why = State.DROPPED, told
            if place + 1 >= STARTS:
                notebook.decide(variant, state, why)
                if state is not State.WORTH_TRYING:
                    racing.remove(variant)
    for variant in racing:
        gained = ratio(*(_logarithms(notebook, pick, one) for one in (variant, pick)))
        count = len(notebook.of(variant, Phase.VARY))
        if gained is None or count < held.starts:
            continue
        told = (
            f"{gained.value:.2f} times the pick's rate, [{gained.low:.2f}, {gained.high:.2f}], in "
            f"{count} runs of each ({wanted[variant]})"
        )
        if gained.low <= 1:
            notebook.decide(variant, State.NO_DIFFERENCE, told)
            continue
        notebook.decide(variant, State.WORTH_TRYING, f"{told}, not confirmed")
        rates = [gained.value * each for each in _rates(notebook, pick)]
        yield from _confirm(making, pick, variant, held, rates)


def _save(making: Making, pick: Candidate, held: Held, wanted: Wanted) -> Steps:
    """What they need at the rate that the pick holds, beside what it needed in its own starts."""
    notebook, before = making.notebook, making.notebook.memory_bytes(pick)
    rate = making.question.rate or held.rate
    load = making.confirming((rate,))
    room = int(making.unspent_s / making.cost_s(load, STARTS)) if before else 0
    for variant in _room(making, wanted, room):
        for place in range(STARTS):
            yield from making.start(variant, Phase.VARY, load, wanted[variant], place=place)
        entries, after = notebook.of(variant, Phase.VARY), notebook.memory_bytes(variant)
        points = notebook.points(entries)
        if not after or not before or not points:
            notebook.decide(variant, State.NO_STATEMENT, "its runs say nothing")
            continue
        reason = f"{_more(after / before)} memory in {len(entries)} runs ({wanted[variant]})"
        if min(point.margin for point in points) < 0:
            notebook.decide(variant, State.DROPPED, f"it missed {rate:.3g}/s; {reason}")
        elif after > (1 - WORTH) * before:
            notebook.decide(variant, State.NO_DIFFERENCE, reason)
        else:
            notebook.decide(variant, State.WORTH_TRYING, f"{reason}, not confirmed")
            if making.question.rate is not None:
                yield from _confirm(making, pick, variant, held, _rates(notebook, pick))


def _room(making: Making, wanted: Wanted, room: int) -> list[Candidate]:
    """Those for which there is time; the others are noted."""
    for variant, why in list(wanted.items())[max(0, room) :]:
        making.notebook.decide(variant, State.NOT_TRIED, f"{why}, and {NO_TIME}")
    return list(wanted)[: max(0, room)]


def _confirm_s(making: Making, pick: Candidate, held: Held) -> float:
    return making.cost_s(making.confirming(_rates(making.notebook, pick)), held.starts)


def _confirm(
    making: Making, pick: Candidate, variant: Candidate, held: Held, rates: Sequence[float]
) -> Steps:
    """By as many fresh starts as the pick had; it is then recommended in its place."""
    notebook, asked = making.notebook, making.question.rate
    if notebook.pick() != pick or _confirm_s(making, pick, held) > making.unspent_s:
        return
    shape = held.starts, held.window_s / making.longer
    yield from fresh(making, variant, rates, shape, "a variant of the pick")
    now = held_by(notebook, variant)
    if now is None or now.starts < held.starts or notebook.excess(variant):
        return
    if asked is None and now.rate <= held.rate:
        return
    if asked is not None:
        before, after = (
            [entry.seen.memory_bytes or 0.0 for entry in notebook.of(each, Phase.CONFIRM)]
            for each in (pick, variant)
        )
        compared = compare(before, after, margin=WORTH)
        if compared.outcome is not Outcome.SHOWN or (compared.value or 1.0) >= 1:
            return
    for other, (state, _) in list(notebook.states.items()):
        if state in (State.RECOMMENDED, State.NOT_TOLD_APART):
            notebook.decide(other, State.BEHIND, f"{variant.name} is better, of fresh runs")
    notebook.decide(variant, State.RECOMMENDED)


def _logarithms(notebook: Notebook, pick: Candidate, each: Candidate) -> dict[int, float]:
    """Seed of each start → the logarithm of the rate that it just holds, as steeply as the pick."""
    points = notebook.points(notebook.of(pick, Phase.VARY))
    return {
        entry.trial.seed: shifted(seen, crossing(points))
        for entry in notebook.of(each, Phase.VARY)
        if points and (seen := notebook.points([entry]))
    }


def _rates(notebook: Notebook, pick: Candidate) -> tuple[float, ...]:
    """At which the pick was confirmed."""
    return notebook.of(pick, Phase.CONFIRM)[-1].trial.load.rates


def _more(ratio: float) -> str:
    """ "12 % more", "as much"."""
    percent = round(100 * abs(ratio - 1))
    return f"{percent} % {'more' if ratio > 1 else 'less'}" if percent else "as much"
