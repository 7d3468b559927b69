"""What limits the pick of a tuning: by its figures, one user's, and those of others in the race."""

from collections.abc import Iterator, Sequence
from math import exp

from benchsuite.bottlenecks.evidence import Alone, Other, Ratio
from benchsuite.models import Run, Tuning
from benchsuite.report import limiting
from benchsuite.stats.compare import compare
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.trial import Candidate, Phase


def limits(row: Tuning, book: Notebook, pick: Candidate | None) -> limiting.Told | None:
    """Of its last start that confirmed, else of its last; None where that run is not stored."""
    orders = [
        (entry.trial.phase is Phase.CONFIRM, order)
        for order, entry in enumerate(book.entries)
        if entry.trial.candidate == pick and entry.seen.levels
    ]
    if pick is None or not orders:
        return None
    run = Run.objects.filter(trials__tuning=row, trials__order=max(orders)[1]).first()
    if run is None:
        return None
    alone = Alone(mean_s=book.probe.response_s) if book.probe else None
    goal = book.question.objective.limit_s
    return limiting.told(run, alone=alone, objective_s=goal, others=list(others(book, pick)))


def others(book: Notebook, pick: Candidate) -> Iterator[Other]:
    """Other sizes of its server, and servers of the other interface, as far as starts of both show
    a ratio.
    """
    for one in book.states:
        if one == pick or (one.server != pick.server and one.interface == pick.interface):
            continue
        rate = _ratio(*(list(map(exp, book.blocks(each).values())) for each in (one, pick)))
        cpu = _ratio(*(_cpu_s(book, each) for each in (one, pick)))
        if rate and cpu:
            yield Other(
                processes=one.processes,
                threads=one.threads or 1,
                interface=one.interface,
                rate=rate,
                cpu=cpu,
            )


def _cpu_s(book: Notebook, candidate: Candidate) -> list[float]:
    """Of a request, start by start of the race."""
    seen = (entry.seen.cpu_s for entry in book.of(candidate, Phase.RACE))
    return [one for one in seen if one is not None]


def _ratio(theirs: Sequence[float], own: Sequence[float]) -> Ratio | None:
    """Own divided by theirs; None with too few starts for an interval."""
    if not theirs or not own:
        return None
    found = compare(theirs, own)
    if found.value is None or found.low is None or found.high is None:
        return None
    return Ratio(value=found.value, low=found.low, high=found.high)
