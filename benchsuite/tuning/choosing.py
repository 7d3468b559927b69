"""Which candidate needs least: of those that hold about as much as the best, or at one rate.

The least memory that holds a rate: all candidates once at that rate, then the ones that need
least in fresh starts, until one of them holds it.
"""

import math
from collections.abc import Generator, Sequence

from benchsuite.bottlenecks.evidence import Ratio, ratio
from benchsuite.stats.compare import FEWEST_STARTS
from benchsuite.tuning import confirming
from benchsuite.tuning.candidates import excess
from benchsuite.tuning.fresh import fresh
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.planning import Making
from benchsuite.tuning.probing import unsaid
from benchsuite.tuning.spread import spread
from benchsuite.tuning.trial import Candidate, Load, Observation, Phase, Trial

TIED = 0.02  #: Within this of the best: nobody would act on it.
CAUTION = 0.5  #: Standard errors that an estimate counts as lower: few starts may be lucky ones.


def choose(notebook: Notebook, alive: Sequence[Candidate]) -> Candidate | None:
    """The pick; the notebook says which others are behind the best, or as good as it."""
    rates = {one: rate for one in notebook.going(alive) if (rate := notebook.estimate(one))}
    for candidate in list(rates):
        if why := excess(notebook, candidate):
            notebook.decide(candidate, State.OVER, why)
            del rates[candidate]
    known = [one for one in rates if notebook.is_bracketed(one)] or list(rates)
    if not known:
        return None
    apart = spread(notebook)
    surely = {
        one: math.log(rates[one]) - CAUTION * apart / math.sqrt(max(1, len(notebook.blocks(one))))
        for one in known
    }
    best = max(known, key=lambda one: surely[one])
    tied = [one for one in known if surely[one] >= surely[best] - TIED]
    pick = min(tied, key=lambda one: _preference(notebook, tied, one))
    for candidate in rates:
        if candidate not in known:
            notebook.drop(candidate)
        elif candidate != pick:
            _decide(notebook, candidate, pick, rates[candidate] / rates[pick])
    return pick


def _preference(
    notebook: Notebook, tied: Sequence[Candidate], candidate: Candidate
) -> tuple[bool, float, float, float]:
    """What runs now before a change that shows nothing; then what needs least, or what has most
    room, where one of them did not recover from overload.
    """
    changes = candidate != notebook.question.current
    if any(notebook.recovers(one) is False for one in tied):
        return changes, -(candidate.slots or math.inf), 0.0, 0.0
    return changes, *needs(notebook, candidate)


def needs(notebook: Notebook, candidate: Candidate) -> tuple[float, float, float]:
    """Memory, then connections, then slots."""
    most = (notebook.memory_bytes(candidate), candidate.connections, candidate.slots)
    memory, connections, slots = (math.inf if one is None else float(one) for one in most)
    return memory, connections, slots


def against(notebook: Notebook, candidate: Candidate, other: Candidate) -> Ratio | None:
    """Its rate against the other's, by starts that met the same arrivals; None with too few."""
    return ratio(notebook.blocks(candidate), notebook.blocks(other))


def _decide(notebook: Notebook, candidate: Candidate, best: Candidate, estimated: float) -> None:
    """Behind is a claim, so the whole interval of the ratio must say so, over enough starts."""
    compared = against(notebook, candidate, best)
    if estimated >= 1 - TIED or (compared and compared.high >= 1 - TIED):
        notebook.decide(candidate, State.NOT_TOLD_APART)
    elif compared and len(notebook.blocks(candidate)) >= FEWEST_STARTS:
        less, most = (f"{100 * (1 - end):.0f}" for end in (compared.high, compared.low))
        notebook.decide(
            candidate, State.BEHIND, f"{100 * (1 - compared.value):.0f} % less [{less}, {most}]"
        )
    else:
        notebook.drop(candidate)


STARTS = 6  #: To confirm.
FEWER = 5  #: Where time is short.
ARRIVALS = 150  #: Planned in the window that screens, at least.
LONGEST_S = 20.0
TRYING = 0.45  #: Of the budget at most goes into the first starts.
FEWEST = 4  #: Are tried, however short it is.
HOPE = -1.2
"""Logits below its goals in one short window, from which fresh starts don't bring a candidate back:
a share of 85 % where 95 % were asked."""

Picked = Generator[Trial, Observation, Candidate | None]


def hold(making: Making, candidates: list[Candidate], rate: float) -> Picked:
    """The one of least memory that holds the rate; None where none was shown to."""
    notebook, question, current = making.notebook, making.question, making.question.current
    window_s = min(LONGEST_S, max(3.0, ARRIVALS / rate))
    load = Load(rates=(rate,), warmup_s=1, window_s=window_s * question.window_factor)
    room = max(FEWEST, int(TRYING * question.budget_s / making.cost_s(load)))
    order = sorted(candidates, key=lambda one: (one != current, one.processes, one.slots or 0))
    for candidate in order[room:]:
        notebook.decide(candidate, State.NOT_TRIED, "the budget left no time for it")
    candidates = [one for one in candidates if one in order[:room]]
    for candidate in making.shuffled(candidates) if len(candidates) > 1 else []:
        seen = yield from making.start(candidate, Phase.SCREEN, load, f"each once at {rate:g}/s")
        _judge(making, candidate, seen)
    starts = STARTS if 2 * _cost_s(making, rate, STARTS) <= making.left_s else FEWER
    hopeful = [
        candidate for candidate in candidates if notebook.state(candidate) in (None, State.RACING)
    ]
    pick = None
    for candidate in sorted(hopeful, key=lambda candidate: needs(notebook, candidate)):
        if pick is not None:
            notebook.decide(candidate, State.BEHIND, "it may hold the rate, and needs more")
        elif (
            _cost_s(making, rate, starts) + _others_s(making, hopeful, candidate, rate)
            > making.left_s
        ):
            notebook.decide(candidate, State.RACING, "the budget left no time for its fresh runs")
        elif (yield from _holds(making, candidate, rate, starts, "the one that needs least")):
            notebook.decide(candidate, State.RECOMMENDED)
            pick = candidate
    if current in hopeful and not notebook.of(current, Phase.CONFIRM):
        state = notebook.states[current]
        yield from _holds(making, current, rate, starts, "what runs now")
        notebook.decide(current, *state)
    return pick


def _others_s(
    making: Making, hopeful: Sequence[Candidate], candidate: Candidate, rate: float
) -> float:
    """What fresh starts of what runs now will take, where these are not its own."""
    now = making.question.current
    if (
        now is None
        or now == candidate
        or now not in hopeful
        or making.notebook.of(now, Phase.CONFIRM)
    ):
        return 0.0
    return _cost_s(making, rate, FEWER)


def _rates(making: Making, rate: float) -> tuple[float, ...]:
    """The one asked for, and as much more as windows of that length flatter."""
    window_s, limit_s = making.confirming((rate,)).window_s, making.question.objective.limit_s
    return rate, rate * confirming.flattered(window_s, limit_s)


def _cost_s(making: Making, rate: float, starts: int) -> float:
    return making.cost_s(making.confirming(_rates(making, rate)), starts)


def _holds(
    making: Making, candidate: Candidate, rate: float, starts: int, whose: str
) -> Generator[Trial, Observation, bool]:
    notebook = making.notebook
    yield from fresh(making, candidate, _rates(making, rate), starts, whose)
    held = confirming.held_by(notebook, candidate)
    if why := excess(notebook, candidate):
        notebook.decide(candidate, State.OVER, why)
    elif held is None or held.shown < _rates(making, rate)[-1]:
        notebook.decide(candidate, State.BEHIND, _why(making, candidate, rate))
    else:
        return True
    return False


def _why(making: Making, candidate: Candidate, rate: float) -> str:
    shares, goal = (
        confirming.shares(making.notebook, candidate, rate),
        making.question.objective.goals[0],
    )
    if not shares:
        return "its fresh runs say nothing"
    mean = sum(shares) / len(shares)
    shown = f"{100 * mean:.3g} % in time at {rate:g}/s in {len(shares)} fresh runs"
    return f"{shown}{', which does not show that it holds' if mean >= goal.share else ''}"


def _judge(making: Making, candidate: Candidate, seen: Observation) -> None:
    notebook = making.notebook
    points = notebook.points(notebook.of(candidate, Phase.SCREEN))
    if not points:
        notebook.decide(candidate, State.NO_STATEMENT, unsaid(seen))
    elif why := excess(notebook, candidate):
        notebook.decide(candidate, State.OVER, why)
    elif max(point.margin for point in points) < HOPE and candidate != making.question.current:
        share = min(seen.levels[0].met) / seen.levels[0].planned
        shown = f"{100 * share:.3g} % in time at {points[0].rate:g}/s"
        notebook.decide(candidate, State.DROPPED, f"dropped after its first run, with {shown}")
    else:
        notebook.decide(candidate, State.RACING)
