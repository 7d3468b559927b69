"""Which candidate needs least: of those that hold about as much as the best, or at one rate."""

import math
from collections.abc import Sequence

from benchsuite.stats.compare import FEWEST_STARTS, ratio
from benchsuite.tuning import confirming
from benchsuite.tuning.confirming import fresh, held_by
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.planning import Making, Steps
from benchsuite.tuning.probing import judge
from benchsuite.tuning.trial import Candidate, Load, Phase

TIED = 0.02  #: Within this of the best: nobody would act on it.


def choose(notebook: Notebook) -> Candidate | None:
    """The pick; the notebook says which others are behind the best, or as good as it."""
    for candidate in notebook.decided(State.RACING):
        if why := notebook.excess(candidate):
            notebook.decide(candidate, State.OVER, why)
    racing = notebook.decided(State.RACING)
    rates = {one: rate for one in racing if (rate := notebook.estimate(one))}
    tied = [one for one in rates if rates[one] >= (1 - TIED) * max(rates.values())]
    if not tied:
        return None
    # what runs now before a change that shows nothing
    pick = min(tied, key=lambda one: (one != notebook.question.current, *needs(notebook, one)))
    best = notebook.blocks(pick)
    for candidate in (one for one in rates if one != pick):
        starts = notebook.blocks(candidate)
        compared = ratio(starts, best)
        is_close = rates[candidate] >= (1 - TIED) * rates[pick]
        if is_close or (compared and compared.high >= 1 - TIED):
            notebook.decide(candidate, State.NOT_TOLD_APART)
        # a claim, so the whole interval of the ratio must say so, over enough starts
        elif compared and len(starts) >= FEWEST_STARTS:
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
STARTS, FEWER = 6, 5  #: To confirm a rate that is asked for, and where time is short.
ARRIVALS = 150  #: Planned in the window that screens, at least.
LONGEST_S = 20.0
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
    order = sorted(candidates, key=lambda one: (one != current, one.processes, one.slots or 0))
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
    more = rate * MORE * confirming.margin(notebook, making.confirming().window_s)
    each_s = making.cost_s(making.confirming((more,)))
    starts = STARTS if 2 * STARTS * each_s <= making.left_s else FEWER
    least: Candidate | None = None
    for candidate in sorted(
        notebook.going(order[:room]), key=lambda one: (one != current, needs(notebook, one))
    ):
        if least is not None and needs(notebook, least) <= needs(notebook, candidate):
            notebook.decide(candidate, State.BEHIND, "it may hold the rate, and needs more")
        elif starts * each_s > making.left_s:
            notebook.decide(candidate, State.RACING, "the budget left no time for its fresh runs")
        elif (yield from _holds(making, candidate, more, starts)):
            if least is not None:
                notebook.decide(least, State.BEHIND, "it holds the rate, and needs more")
            least = candidate
    return least is not None


def _holds(making: Making, candidate: Candidate, rate: float, starts: int) -> Steps[bool]:
    notebook = making.notebook
    is_now = candidate == making.question.current
    reason = f"fresh runs of {'what runs now' if is_now else 'the one that needs least'}"
    yield from fresh(making, candidate, making.confirming((rate,)), starts, reason, 0.0, 0)
    if why := notebook.excess(candidate):
        notebook.decide(candidate, State.OVER, why)
    elif held_by(notebook, candidate):
        notebook.decide(candidate, State.RECOMMENDED)
        return True
    else:
        levels = confirming.by_rate(notebook, candidate).get(rate)
        shown = levels and f"{notebook.reached(levels)} at {rate:.4g}/s, in fresh runs"
        notebook.decide(candidate, State.BEHIND, shown or "its fresh runs say nothing")
    return False
