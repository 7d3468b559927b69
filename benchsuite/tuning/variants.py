"""The second round: the pick in other settings, where something that was seen speaks for them."""

import math
from collections.abc import Callable, Iterator, Sequence

from benchsuite.bottlenecks.evidence import ratio
from benchsuite.core.units import format_bytes
from benchsuite.servers.base import Against
from benchsuite.stats.compare import Outcome, compare
from benchsuite.stats.levels import crossing, shifted
from benchsuite.tuning import confirming
from benchsuite.tuning.candidates import excess, refusal
from benchsuite.tuning.confirming import Held
from benchsuite.tuning.fresh import fresh
from benchsuite.tuning.notebook import End, Notebook, State
from benchsuite.tuning.planning import Making, Steps
from benchsuite.tuning.trial import Candidate, Load, Phase

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
    if why := _short_of_memory(notebook, pick):
        by_reason.setdefault(Against.MEMORY, why)
    if Against.MEMORY in by_reason and (pick.threads or 1) > 1:
        by_reason[Against.ARENAS] = by_reason[Against.MEMORY]
    return by_reason


def vary(making: Making, variants: Variants) -> Steps:
    """All of them, where the pick is confirmed and time is left; nothing else is taken from it."""
    notebook, pick = making.notebook, making.notebook.pick()
    held = confirming.held_by(notebook, pick) if pick else None
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


def sentences(notebook: Notebook) -> Iterator[str]:
    """What the round showed to be worth more starts."""
    for variant, (state, why) in notebook.states.items():
        if state is State.WORTH_TRYING:
            yield f"Worth trying: {variant.name}: {why}."


def _short_of_memory(notebook: Notebook, pick: Candidate) -> str:
    if notebook.question.rate is not None:
        return "least memory is asked for"
    limit, memory = notebook.question.objective.memory_bytes, notebook.memory_bytes(pick)
    over = any(state is State.OVER for state, _ in notebook.states.values())
    if limit is None or memory is None or not (over or memory >= NEAR * limit):
        return ""
    return f"it takes {format_bytes(memory)} of {format_bytes(limit)}"


def _race(making: Making, pick: Candidate, held: Held, wanted: Wanted) -> Steps:
    """In turn with starts of the pick, at the same arrivals; the best is then confirmed."""
    notebook = making.notebook
    rate = notebook.estimate(pick) or held.rate
    load = making.arrivals([level * rate for level in LEVELS], 1, 5)
    room = int(making.unspent_s / making.cost_s(load, STARTS)) - 1
    racing = list(wanted)[: max(0, room)]
    _leave(notebook, wanted, racing)
    for place in range(STARTS if racing else 0):
        for each in making.shuffled([pick, *racing]):
            why = wanted.get(each, "beside its variants")
            yield from making.start(each, Phase.VARY, load, why, place=place, ends_early=True)
    gains = {variant: _gain(notebook, pick, variant) for variant in racing}
    for variant in sorted(racing, key=lambda variant: -(gains[variant] or 0.0)):
        gain = gains[variant]
        if gain is None:
            notebook.decide(variant, State.NO_STATEMENT, "its runs say nothing")
            continue
        reason = f"{_more(gain)} in {STARTS} runs of each ({wanted[variant]})"
        if abs(gain - 1) < WORTH:
            notebook.decide(variant, State.NO_DIFFERENCE, reason)
        elif gain < 1:
            notebook.decide(variant, State.DROPPED, reason)
        else:
            notebook.decide(variant, State.WORTH_TRYING, f"{reason}, not confirmed")
            if notebook.pick() == pick:
                yield from _settle(making, pick, variant, held, load, wanted[variant])


def _settle(
    making: Making, pick: Candidate, variant: Candidate, held: Held, load: Load, why: str
) -> Steps:
    """Two starts of each are soon better by chance: it is raced on, and confirmed only where the
    interval shows it.
    """
    notebook, rates = making.notebook, _rates(making.notebook, pick)
    cost_s = making.cost_s(load, 2 * (held.starts - STARTS))
    if cost_s + making.cost_s(making.confirming(rates), held.starts) > making.unspent_s:
        return
    for place in range(STARTS, held.starts):
        for each in making.shuffled([pick, variant]):
            reason = "whether a variant is surely better"
            yield from making.start(each, Phase.VARY, load, reason, place=place, ends_early=True)
    gain = ratio(*_logarithms(notebook, variant, pick))
    if gain is None:
        return
    interval = f"{gain.value:.2f} times the pick's rate, [{gain.low:.2f}, {gain.high:.2f}]"
    shown = f"{interval}, in {held.starts} runs of each ({why})"
    if gain.low <= 1:
        notebook.decide(variant, State.NO_DIFFERENCE, shown)
        return
    notebook.decide(variant, State.WORTH_TRYING, f"{shown}, not confirmed")
    yield from _confirm(making, pick, variant, held, [gain.value * each for each in rates])


def _save(making: Making, pick: Candidate, held: Held, wanted: Wanted) -> Steps:
    """What they need at the rate that the pick holds, beside what it needed in its own starts."""
    notebook, before = making.notebook, making.notebook.memory_bytes(pick)
    rate = making.question.rate or held.rate
    load = making.confirming((rate,))
    room = int(making.unspent_s / making.cost_s(load, STARTS))
    trying = list(wanted)[: max(0, room)] if before else []
    _leave(notebook, wanted, trying)
    for variant in trying:
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
            if making.question.rate is not None and notebook.pick() == pick:
                yield from _confirm(making, pick, variant, held, _rates(notebook, pick))


def _confirm(
    making: Making, pick: Candidate, variant: Candidate, held: Held, rates: Sequence[float]
) -> Steps:
    """By as many fresh starts as the pick had; it is then recommended in its place."""
    notebook, asked = making.notebook, making.question.rate
    if making.cost_s(making.confirming(rates), held.starts) > making.unspent_s:
        return
    yield from fresh(making, variant, rates, held.starts, "a variant of the pick")
    now = confirming.held_by(notebook, variant)
    if now is None or now.starts < held.starts or excess(notebook, variant):
        return
    if now.rate <= held.rate if asked is None else not _is_smaller(notebook, pick, variant):
        return
    for other, (state, _) in list(notebook.states.items()):
        if state in (State.RECOMMENDED, State.NOT_TOLD_APART):
            notebook.decide(other, State.BEHIND, f"{variant.name} is better, of fresh runs")
    notebook.decide(variant, State.RECOMMENDED)


def _leave(notebook: Notebook, wanted: Wanted, tried: Sequence[Candidate]) -> None:
    for variant in wanted:
        if variant not in tried:
            why = f"{wanted[variant]}, and the budget left no time for it"
            notebook.decide(variant, State.NOT_TRIED, why)


def _gain(notebook: Notebook, pick: Candidate, variant: Candidate) -> float | None:
    """Its rate over the pick's, by pairs of starts that met the same arrivals."""
    own, theirs = _logarithms(notebook, variant, pick)
    differences = [own[seed] - theirs[seed] for seed in own if seed in theirs]
    return math.exp(sum(differences) / len(differences)) if differences else None


def _logarithms(notebook: Notebook, variant: Candidate, pick: Candidate) -> list[dict[int, float]]:
    """Of both: seed of each start → the logarithm of the rate that it just holds."""
    points = notebook.points(notebook.of(pick, Phase.VARY))
    if not points:
        return [{}, {}]
    whole = crossing(points)
    return [
        {
            entry.trial.seed: shifted(seen, whole)
            for entry in notebook.of(each, Phase.VARY)
            if (seen := notebook.points([entry]))
        }
        for each in (variant, pick)
    ]


def _is_smaller(notebook: Notebook, pick: Candidate, variant: Candidate) -> bool:
    """Whether its fresh starts show that it needs less memory."""
    before, after = (
        [entry.seen.memory_bytes or 0.0 for entry in notebook.of(each, Phase.CONFIRM)]
        for each in (pick, variant)
    )
    compared = compare(before, after, margin=WORTH)
    return compared.outcome is Outcome.SHOWN and (compared.value or 1.0) < 1


def _rates(notebook: Notebook, pick: Candidate) -> tuple[float, ...]:
    """At which the pick was confirmed."""
    return notebook.of(pick, Phase.CONFIRM)[-1].trial.load.rates


def _more(ratio: float) -> str:
    """ "12 % more", "as much"."""
    percent = round(100 * abs(ratio - 1))
    return f"{percent} % {'more' if ratio > 1 else 'less'}" if percent else "as much"
