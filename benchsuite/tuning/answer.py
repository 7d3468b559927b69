"""What a tuning says, at any time: from its notebook alone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchsuite.tuning import confirming, saying, scaling, variants
from benchsuite.tuning.choosing import against
from benchsuite.tuning.confirming import Held, cliff
from benchsuite.tuning.notebook import End, Notebook, State
from benchsuite.tuning.scaling import Scaling
from benchsuite.tuning.trial import Candidate, Phase

UNTRIED = (State.REFUSED, State.BOUNDED_OUT, State.NOT_TRIED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What became of a candidate."""

    candidate: Candidate
    state: State
    why: str
    estimate: float | None  #: The rate it just holds, from all starts before the fresh ones.
    low: float | None
    high: float | None  #: Ends of the interval of that estimate, over starts.
    rate: float | None  #: What fresh starts say it holds; None without them, or where they don't.
    shown: float | None  #: The rate of their windows, which flatter.
    share: float | None  #: Of the planned arrivals that met the first goal there.
    percentile_s: float | None  #: Response time at that share there.
    memory_bytes: float | None
    cpu_s: float | None  #: CPU time of a request.
    connections: int | None
    starts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """A candidate that isn't told apart from the pick."""

    candidate: Candidate
    ratio: float | None  #: Of its rate to the pick's.
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Figures come from fresh starts alone; None where there are none."""

    end: End | None  #: None while the search goes on, or where it was stopped.
    sentences: tuple[str, ...]
    pick: Candidate | None
    rate: float | None  #: Confirmed.
    shown: float | None = None  #: The rate at which fresh starts did, in windows that flatter.
    at_least: bool = False  #: Whether the load generator was the limit.
    share: float | None = None
    low: float | None = None
    high: float | None = None  #: Ends of that share's interval, over starts.
    starts: int = 0
    window_s: float | None = None
    failures: int | None = None
    planned: int | None = None
    cliff: tuple[float, float] | None = None  #: The rates between which it collapses.
    now: Row | None = None  #: What runs now.
    not_told_apart: tuple[Close, ...] = ()
    rows: tuple[Row, ...] = ()
    not_tried: tuple[tuple[str, str], ...] = ()  #: What, and why.
    missing: str = ""  #: What a longer search would add.
    scaling: Scaling | None = None  #: Where several numbers of CPUs were asked for.


def answer(book: Notebook) -> Answer:
    """The best that is known."""
    if book.question.scaling:
        return _on_several_cpus(book)
    pick = book.pick()
    held = confirming.held_by(book, pick) if pick else None
    rows = tuple(_row(book, candidate) for candidate in book.states)
    close = tuple(_close(book, one, pick) for one in tied(book, pick)) if pick else ()
    return Answer(
        end=book.end,
        sentences=tuple(_sentences(book, pick, held, close, rows)),
        pick=pick,
        rate=held.rate if held else None,
        shown=held.shown if held else None,
        at_least=bool(pick and held and book.is_limited(pick)),
        share=held.share if held else None,
        low=held.low if held else None,
        high=held.high if held else None,
        starts=held.starts if held else 0,
        window_s=held.window_s if held else None,
        failures=held.failures if held else None,
        planned=held.planned if held else None,
        cliff=cliff(book, pick) if pick else None,
        now=next((row for row in rows if row.candidate == book.question.current), None),
        not_told_apart=close,
        rows=rows,
        not_tried=_not_tried(book, rows),
        missing=saying.missing(book, pick, held),
    )


def sentence(book: Notebook) -> str:
    """The first of the answer, alone."""
    if book.question.scaling:
        return answer(book).sentences[0]
    pick = book.pick()
    return saying.first(book, pick, confirming.held_by(book, pick) if pick else None)


def _on_several_cpus(book: Notebook) -> Answer:
    """What each of them holds: none is recommended."""
    found = scaling.scaling(book)
    candidates = sorted(book.states, key=lambda one: one.cpus or 0)
    rows = tuple(_row(book, candidate) for candidate in candidates)
    nothing = book.end in (End.REFUSED, End.NOTHING_RAN, End.NOTHING_HOLDS)
    said = [saying.first(book, None, None)] if nothing else scaling.sentences(book, found)
    return Answer(
        end=book.end,
        sentences=tuple(said),
        pick=None,
        rate=None,
        rows=rows,
        not_tried=_not_tried(book, rows),
        scaling=found,
    )


def tied(book: Notebook, pick: Candidate) -> list[Candidate]:
    """Those that aren't told apart from the pick."""
    return [
        one
        for one, (state, _) in book.states.items()
        if state is State.NOT_TOLD_APART and one != pick
    ]


def _not_tried(book: Notebook, rows: Sequence[Row]) -> tuple[tuple[str, str], ...]:
    untried = ((row.candidate.name, row.why) for row in rows if row.state in UNTRIED)
    return (*book.unable.items(), *untried)


def _row(book: Notebook, candidate: Candidate) -> Row:
    state, why = book.states[candidate]
    held = confirming.held_by(book, candidate)
    low, high = _interval(book, candidate)
    return Row(
        candidate=candidate,
        state=state,
        why=why,
        estimate=book.estimate(candidate),
        low=low,
        high=high,
        rate=held.rate if held else None,
        shown=held.shown if held else None,
        share=held.share if held else None,
        percentile_s=held.percentile_s if held else None,
        memory_bytes=book.memory_bytes(candidate),
        cpu_s=book.cpu_s(candidate),
        connections=candidate.connections,
        starts=len(book.of(candidate, Phase.LADDER, Phase.RACE, Phase.CONFIRM, Phase.VARY)),
    )


def _interval(book: Notebook, candidate: Candidate) -> tuple[float | None, float | None]:
    """Of the rate it just holds, start by start of the race."""
    found = list(book.blocks(candidate).values())
    if len(found) < confirming.FEWEST_STARTS:
        return None, None
    mean, half = confirming.interval(found)
    return math.exp(mean - half), math.exp(mean + half)


def _close(book: Notebook, one: Candidate, pick: Candidate) -> Close:
    compared = against(book, one, pick)
    if compared is None:
        own, best = book.estimate(one), book.estimate(pick)
        ratio = own / best if own and best else None
        return Close(candidate=one, ratio=ratio, low=None, high=None)
    return Close(candidate=one, ratio=compared.value, low=compared.low, high=compared.high)


def _sentences(
    book: Notebook,
    pick: Candidate | None,
    held: Held | None,
    close: Sequence[Close],
    rows: Sequence[Row],
) -> list[str]:
    found = [saying.first(book, pick, held)]
    if pick is None:
        return found
    if close:
        found.append(saying.tied(book, pick, [(one.candidate, _ratio(one)) for one in close]))
    if held and (own := book.estimate(pick)) and _confusing(rows, held):
        found.append(saying.estimates(own))
    if fall := cliff(book, pick):
        found.append(saying.cliff(*fall))
    return [*found, *saying.cautions(book, pick), *variants.sentences(book)]


def _confusing(rows: Sequence[Row], held: Held) -> bool:
    """Whether the estimate of one that had no fresh starts lies above what the pick holds."""
    return any(row.rate is None and (row.estimate or 0.0) > held.rate for row in rows)


def _ratio(one: Close) -> str:
    if one.ratio is None:
        return ""
    interval = f" [{one.low:.2f}, {one.high:.2f}]" if one.low and one.high else ""
    return f" ({one.ratio:.2f}{interval})"
