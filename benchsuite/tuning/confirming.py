"""Fresh starts, whose figures alone count: which rate holds, how surely, and who needs least."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from benchsuite.core.specs.objective import Goal
from benchsuite.core.units import format_number, gathered
from benchsuite.stats import compare
from benchsuite.stats.distributions import beta_quantile, student_quantile
from benchsuite.stats.levels import STEEPNESS, Crossing, crossing
from benchsuite.tuning.notebook import NEAR, RISING, Entry, Notebook, State
from benchsuite.tuning.planning import Making, Steps, judge, misses
from benchsuite.tuning.trial import Candidate, Level, Load, Phase

CONFIDENCE = 0.95
FEWEST_STARTS = 3
FEWEST_MISSES = 3.0
"""So many misses must a goal allow, of all that was planned, before its bound is asked for: no
number of starts shows "failures < 0.1%" with 500 arrivals. Then it is enough that no more are
missed than allowed, and the answer says how many there may be."""
FLATTERS = 0.2
"""Times the root of the longest time allowed over the length of a window: by what share the window
flatters. The queue of a server near its limit comes and goes with bursts of arrivals, and a short
window often meets none (3 % in 10 s where 200 ms are allowed, half of it in 40 s; simulated)."""
MINUTE_S = 60.0

GOOD, BAD = 0.99, 0.80  #: Shares below and above a cliff, with `FEWEST_LEVELS` on either side.
WITHIN, FEWEST_LEVELS = 1.1, 2  #: It lies between a rate and so many times of it.
STARTS = 6  #: That confirm, where the budget allows it.
LONGEST_S = 20.0  #: Longer windows than this would show little more.
MOST_RATES = 6
SPARE = 0.97  #: Of the time left is planned with: starts take a little more or less.
AT_FIRST = 0.5  #: Of the time that is left goes into the first rate, at most.
SHORT = 0.06  #: Logarithm by which short windows flatter the best of several, which was lucky.
LOCATING = 2  #: Starts in long windows say what it just holds.
SHORTENED = 2.5  #: Times shorter windows confirm, too, where there is no time for longer ones.
DOUBT = 3  #: So many starts of its own the spread of all candidates' starts counts for.
NEARLY_ALL = 2.5  #: So many spreads below what starts just hold, nearly every start holds.
DOWN, FAR_DOWN = 0.94, 0.85  #: The next rate, of one that was missed: at most, and at least.
LOWER_RATE = 0.90  #: Of the highest rate of fresh starts, the lowest tells what rates do.
FEW = 0.5  #: Where more are late, all rates are too high.
AS_LATE, AS_ALLOWED = 0.7, 0.95  #: Of what is late at the higher rate, and of what is allowed.
ROUND = 20  #: Places of the starts at another rate begin so much further.


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A rate that was held, by the fresh starts alone."""

    rate: float  #: Lower than `shown`, by a margin.
    shown: float  #: The rate of the windows that the other figures come from.
    share: float  #: Of the planned arrivals that met the first goal.
    low: float
    high: float  #: Ends of the interval of that share, over starts.
    starts: int
    planned: int
    failures: int
    window_s: float
    percentile_s: float | None  #: Mean over starts of the response time at the first goal's share.


def held_by(notebook: Notebook, candidate: Candidate) -> Held | None:
    """By the highest rate where each goal is reached by the one-sided bound of its share, over
    starts, and by each of the starts; None where there is none. Shares and not their logits: one
    start of several that fails must weigh. No correction for several rates: a higher one counts
    only while all below hold.
    """
    held, goals = None, notebook.question.objective.goals
    entries = notebook.of(candidate, Phase.CONFIRM)
    for rate, levels in by_rate(notebook, candidate).items():
        if misses(goals, levels):
            break
        if len(levels) < FEWEST_STARTS or not _reached(goals, levels):
            continue
        mean, half = interval([level.met[0] / level.planned for level in levels])
        times = [level.percentile_s for level in levels if level.percentile_s is not None]
        window_s = min(one.trial.load.window_s for one in entries if rate in one.trial.load.rates)
        held = Held(
            rate=rate / margin(notebook, window_s),
            shown=rate,
            share=mean,
            low=max(0.0, mean - half),
            high=min(1.0, mean + half),
            starts=len(levels),
            planned=sum(level.planned for level in levels),
            failures=sum(level.failures for level in levels),
            window_s=window_s,
            percentile_s=fmean(times) if times else None,
        )
    return held


def by_rate(notebook: Notebook, candidate: Candidate, *phases: Phase) -> dict[float, list[Level]]:
    """What its fresh starts, or those in other phases, showed at each rate, the lowest first."""
    entries = notebook.of(candidate, *(phases or (Phase.CONFIRM,)))
    shown = (level for entry in entries for level in entry.seen.levels if level.planned)
    return dict(sorted(gathered((level.rate, level) for level in shown).items()))


def at_most(failures: int, planned: int) -> float:
    """The share of failures that so few would not show once in twenty times (Clopper & Pearson)."""
    return beta_quantile(failures + 1, planned - failures, CONFIDENCE)


def _reached(goals: Sequence[Goal], levels: Sequence[Level]) -> bool:
    """By the bound over starts, none of which missed a goal."""
    planned = sum(level.planned for level in levels)
    for place, goal in enumerate(goals):
        missed = planned - sum(level.met[place] for level in levels)
        allowed = planned * (1 - goal.share)
        mean, below = interval([level.met[place] / level.planned for level in levels], CONFIDENCE)
        is_low = missed > allowed if allowed < FEWEST_MISSES else mean - below < goal.share
        if is_low:
            return False
    return True


def margin(notebook: Notebook, window_s: float) -> float:
    """A rate that fresh starts held in windows of this length, of the one that a minute holds."""
    limit_s = notebook.question.objective.limit_s
    short, minute = (math.sqrt(limit_s / length_s) for length_s in (window_s, MINUTE_S))
    return math.exp(FLATTERS * max(0.0, short - minute))


def interval(values: Sequence[float], share: float = (1 + CONFIDENCE) / 2) -> tuple[float, float]:
    """Mean, and how far its interval reaches to either side, by Student's t."""
    error = stdev(values) / math.sqrt(len(values))
    return fmean(values), student_quantile(len(values) - 1, share) * error


def cliff(notebook: Notebook, candidate: Candidate) -> tuple[float, float] | None:
    """Up to which rate nearly all is in time, and from which it collapses; None without one."""
    starts = [entry.seen for entry in notebook.of(candidate, *RISING, Phase.CONFIRM)]
    levels = [level for seen in starts if not seen.limit for level in seen.levels if level.planned]
    shares = sorted((level.rate, min(level.met) / level.planned) for level in levels)
    for low in reversed([rate for rate, share in shares if share >= GOOD]):
        for high in [rate for rate, share in shares if share < BAD and low < rate <= WITHIN * low]:
            below = [share for rate, share in shares if rate <= low]
            above = [share for rate, share in shares if rate >= high]
            is_seen = min(len(below), len(above)) >= FEWEST_LEVELS
            if is_seen and min(below) >= BAD and max(above) < GOOD:
                return low, high
    return None


def unsteady(notebook: Notebook, candidate: Candidate) -> str:
    """ "5.1 % are late even at 40/s": where each of two or more fresh starts at lower rates was as
    late as those at the highest, so that it does not come from the rate; empty where it does.
    """
    rates = by_rate(notebook, candidate)
    lower = [one for rate in rates if rate <= LOWER_RATE * max(rates) for one in rates[rate]]
    for place, goal in enumerate(notebook.question.objective.goals if len(lower) > 1 else ()):
        late = min(1 - one.met[place] / one.planned for one in lower)
        highest = rates[max(rates)]
        most = 1 - sum(one.met[place] for one in highest) / sum(one.planned for one in highest)
        if FEW > late > max(AS_LATE * most, AS_ALLOWED * (1 - goal.share)):
            many = f"{100 * late:.2g} % are {'late' if goal.within_s else 'wrong'}"
            shown = goal.reached(1 - late) if goal.is_mean else many
            return f"{shown} even at {format_number(min(rates))}/s"
    return ""


def confirm(making: Making, candidate: Candidate, whose: str) -> Steps[bool]:
    """Whether a rate was confirmed. Single starts find what it just holds in windows so long, as
    far as the search has not; then several are made at a rate that nearly every start holds, as far
    as they differed; and again at a lower one, while there is time.
    """
    notebook, rate = making.notebook, making.notebook.estimate(candidate)
    shape = _shape(making, AT_FIRST) or _shape(making)
    if rate is None or shape is None:
        return False
    starts, window_s = shape
    if is_limited := notebook.is_limited(candidate):
        points = notebook.points(notebook.of(candidate, *RISING))
        rate = max((point.rate for point in points if point.margin >= 0), default=rate)
    else:
        rate *= math.exp(-SHORT)
    for place in range(0 if is_limited else LOCATING):
        if points := notebook.points(_long(making, candidate)):
            rate = crossing(points).rate
        load = making.confirming((rate,), window_s)
        if making.cost_s(load, 1 + starts) > SPARE * making.left_s:
            break
        reason = f"a fresh run of {whose}, near its limit"
        yield from making.start(candidate, Phase.CONFIRM, load, reason, place)
    for attempt in range(MOST_RATES):
        cautious = _cautious(making, candidate, rate)
        if attempt:
            rate = max(FAR_DOWN * rate, min(cautious, DOWN * rate))
        elif not is_limited:
            rate = cautious
        shape = _shape(making)
        if shape is None or notebook.state(candidate) is State.DISCARDED:
            break
        reason = f"fresh runs of {whose}" + ", at a lower rate" * bool(attempt)
        starts, load = shape[0], making.confirming((rate,), shape[1])
        yield from fresh(making, candidate, load, starts, reason, (attempt + 1) * ROUND)
        if held_by(notebook, candidate):
            return True
    return False


def _long(making: Making, candidate: Candidate) -> list[Entry]:
    """Its starts in windows as long as those that confirm."""
    least_s = making.confirming().window_s
    entries = making.notebook.of(candidate, *RISING, Phase.CONFIRM)
    return [one for one in entries if one.trial.load.window_s >= least_s]


def _cautious(making: Making, candidate: Candidate, rate: float) -> float:
    """The rate that nearly every start holds for a minute, whose arrivals differ by chance, too;
    without starts before by `rate`, which is thought to be just held.
    """
    notebook, entries = making.notebook, _long(making, candidate)
    points = notebook.points(entries)
    whole = crossing(points) if points else Crossing(rate, STEEPNESS)
    steep = replace(whole, steepness=max(STEEPNESS, whole.steepness))
    near = notebook.limits(entries, steep, near=NEAR)
    limits = [limit for _, limit in near] or [math.log(whole.rate)]
    count, mean = len(limits), fmean(limits)
    squares = DOUBT * notebook.spread() ** 2 + sum((limit - mean) ** 2 for limit in limits)
    spread = math.sqrt(squares / (DOUBT + count - 1))
    apart = math.hypot(spread * math.sqrt(1 + 1 / count), 1 / math.sqrt(MINUTE_S * whole.rate))
    return math.exp(mean - NEARLY_ALL * apart)


def _shape(making: Making, part: float = 1.0) -> tuple[int, float] | None:
    """How many starts with windows of which length fit into that part of the time that is left;
    None for too few.
    """
    left_s, shortest = part * SPARE * making.left_s, making.confirming(window_s=0.0)
    beside_s = making.cost_s(shortest) - shortest.window_s
    least_s = making.confirming().window_s
    starts = max(FEWEST_STARTS, min(STARTS, int(left_s / (beside_s + least_s))))
    window_s = left_s / starts - beside_s
    if SHORTENED * window_s < least_s:
        return None
    return starts, min(window_s / making.longer, LONGEST_S)


def fresh(
    making: Making, candidate: Candidate, load: Load, starts: int, why: str, at: int = 0
) -> Steps[None]:
    """As many starts as there is time for, from that place on; none where they would be few. After
    one that missed a goal more can't show that the rate is held.
    """
    notebook, goals = making.notebook, making.question.objective.goals
    for place in range(starts):
        if making.cost_s(load, max(1, FEWEST_STARTS - place)) > making.left_s:
            break
        yield from making.start(candidate, Phase.CONFIRM, load, why, at + place)
        levels = by_rate(notebook, candidate).get(load.rates[0], [])
        if notebook.state(candidate) is State.DISCARDED or misses(goals, levels):
            break


TIED = 0.02  #: Within this of the best: nobody would act on it.


def choose(notebook: Notebook) -> Candidate | None:
    """The pick; the notebook says which others are behind the best, or as good as it."""
    racing = notebook.decided(State.RACING)
    rates = {one: rate for one in racing if (rate := notebook.estimate(one))}
    tied = [one for one in rates if rates[one] >= (1 - TIED) * max(rates.values())]
    if not tied:
        return None
    # what runs now before a change that shows nothing
    pick = min(tied, key=lambda size: (size != notebook.question.current, *needs(notebook, size)))
    best = notebook.blocks(pick)
    for candidate in (one for one in racing if one != pick):
        starts = notebook.blocks(candidate)
        compared = compare.ratio(starts, best)
        is_close = rates.get(candidate, 0.0) >= (1 - TIED) * rates[pick]
        if is_close or (compared and compared.high >= 1 - TIED):
            notebook.decide(candidate, State.NOT_TOLD_APART)
        # a claim, so the whole interval of the ratio must say so, over enough starts
        elif compared and len(starts) >= compare.FEWEST_STARTS:
            less, most = (f"{100 * (1 - end):.0f}" for end in (compared.high, compared.low))
            why = f"{100 * (1 - compared.value):.0f} % less [{less}, {most}]"
            notebook.decide(candidate, State.BEHIND, why)
        else:
            notebook.drop(candidate, pick)
    return pick


def needs(notebook: Notebook, candidate: Candidate) -> tuple[float, ...]:
    """Memory, then connections, then slots."""
    most = (notebook.memory_bytes(candidate), candidate.connections, candidate.slots)
    return tuple(math.inf if one is None else float(one) for one in most)


MORE = 1.05  #: Times the rate must its starts hold, so that the next one surely holds the rate.
ARRIVALS = 150  #: Planned in the window that screens, at least.
TRYING = 0.45  #: Of the budget at most goes into the first starts.
FEWEST = 4  #: Are tried, however short it is.
HOPE = -1.2  #: Logits: from 85 % in one short window, where 95 % are asked, no start comes back.


def hold(making: Making, candidates: Sequence[Candidate], rate: float) -> Steps[bool]:
    """Whether one was shown to hold the rate: all once, then in fresh starts what runs now and
    those that need least, until one holds it, which is recommended.
    """
    notebook, question, current = making.notebook, making.question, making.question.current
    window_s = min(LONGEST_S, max(3.0, ARRIVALS / rate))
    load = Load(rates=(rate,), warmup_s=1, window_s=window_s * question.window_factor)
    room = max(FEWEST, int(TRYING * question.budget_s / making.cost_s(load)))
    order = sorted(candidates, key=lambda size: (size != current, size.processes, size.slots or 0))
    for candidate in order[room:]:
        notebook.decide(candidate, State.NOT_TRIED, "the budget left no time for it")
    for candidate in making.shuffled(order[:room]) if len(candidates) > 1 else []:
        seen = yield from making.start(candidate, Phase.SCREEN, load, f"each once at {rate:g}/s")
        points = notebook.points(notebook.of(candidate, Phase.SCREEN))
        judge(notebook, candidate, seen, is_known=bool(points))
        is_near = any(point.margin >= HOPE for point in points)
        if notebook.state(candidate) is State.RACING and not is_near and candidate != current:
            shown = f"{notebook.reached(seen.levels)} at {rate:g}/s"
            notebook.decide(candidate, State.DROPPED, f"dropped after its first run, with {shown}")
    more = rate * MORE * margin(notebook, making.confirming().window_s)
    each_s = making.cost_s(making.confirming((more,)))
    least: Candidate | None = None
    going = sorted(notebook.going(order), key=lambda size: (size != current, needs(notebook, size)))
    for candidate in going:
        if least is not None and needs(notebook, least) <= needs(notebook, candidate):
            notebook.decide(candidate, State.BEHIND, "it may hold the rate, and needs more")
        elif (count := min(STARTS, int(making.left_s / each_s))) < FEWEST_STARTS:
            notebook.decide(candidate, State.RACING, "the budget left no time for its fresh runs")
        elif (yield from _holds(making, candidate, more, count)):
            if least is not None:
                notebook.decide(least, State.BEHIND, "it holds the rate, and needs more")
            least = candidate
    return least is not None


def _holds(making: Making, candidate: Candidate, rate: float, starts: int) -> Steps[bool]:
    notebook, is_now = making.notebook, candidate == making.question.current
    reason = f"fresh runs of {'what runs now' if is_now else 'the one that needs least'}"
    yield from fresh(making, candidate, making.confirming((rate,)), starts, reason)
    if why := notebook.excess(candidate):
        notebook.decide(candidate, State.OVER, why)
    elif held_by(notebook, candidate):
        notebook.decide(candidate, State.RECOMMENDED)
    else:
        levels = by_rate(notebook, candidate).get(rate)
        shown = levels and f"{notebook.reached(levels)} at {format_number(rate)}/s, in fresh runs"
        notebook.decide(candidate, State.BEHIND, shown or "its fresh runs say nothing")
    return notebook.state(candidate) is State.RECOMMENDED
