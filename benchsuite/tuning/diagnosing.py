"""One more start of the pick, which times its queries and pauses: it says why, and never counts."""

from dataclasses import replace

from benchsuite.tuning import confirming
from benchsuite.tuning.making import Making, Steps
from benchsuite.tuning.notebook import End
from benchsuite.tuning.trial import Candidate, Load, Phase

WHAT, FLAME = "a diagnostic start", "a flame graph"
OF_CPU = ("L01", "L02")
FLAME_S = 10.0  #: A thousand samples of a busy process.


def diagnose(making: Making) -> Steps:
    """At the highest rate that was confirmed, or the one that was asked for; none where nothing was
    confirmed. It is not made again, whatever it shows.
    """
    book, pick = making.book, making.book.pick()
    held = confirming.held(book, pick) if pick else None
    if book.end is not End.CONFIRMED or pick is None or held is None:
        return
    load = making.diagnosing((making.question.rate or held.rate,))
    if making.cost_s(load) > making.unspent_s:
        book.unable[WHAT] = "the budget left no time for it"
        return
    reason = "what limits the pick: queries and pauses are timed"
    seen = yield from making.start(pick, Phase.DIAGNOSE, load, reason, again=False)
    if seen.failure or seen.says_nothing:
        book.unable[WHAT] = seen.failure or f"it was disturbed: {', '.join(seen.codes)}"
    if making.question.profiles and any(code.startswith(OF_CPU) for code in seen.named):
        yield from _profile(making, pick, load)


def _profile(making: Making, pick: Candidate, load: Load) -> Steps:
    """At the same rate, where the CPU is the limit."""
    book, load = making.book, replace(load, window_s=FLAME_S)
    if making.cost_s(load) > making.unspent_s:
        book.unable[FLAME] = "the budget left no time for it"
        return
    reason = "where its CPU time goes: a profiler looks at it"
    seen = yield from making.start(pick, Phase.FLAME, load, reason, again=False)
    if seen.failure:
        book.unable[FLAME] = seen.failure
