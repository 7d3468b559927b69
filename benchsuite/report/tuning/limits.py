"""What limits the pick of a tuning: by its figures, one user's, those of others in the race, and
what its diagnostic start has seen.
"""

from dataclasses import replace

from benchsuite.bottlenecks.evidence import Alone
from benchsuite.comparing.limiting import diagnosis, one_user, profiled
from benchsuite.models import Run, Tuning
from benchsuite.report import limiting
from benchsuite.report.flames import flame
from benchsuite.tuning.diagnosing import others
from benchsuite.tuning.notebook import COUNTED, Notebook
from benchsuite.tuning.trial import Candidate, Phase


def limits(
    row: Tuning, book: Notebook, pick: Candidate | None, start: Run | None = None
) -> limiting.Told | None:
    """Of its last start that confirmed, else of its last that counts; None where that run is not
    stored. `start` is its diagnostic one, where that is no trial yet. One user's times are those of
    the server that was tried first.
    """
    if pick is None:
        return None
    counted = [Phase.CONFIRM] if book.of(pick, Phase.CONFIRM) else COUNTED
    order, diagnosed = _last(book, pick, *counted), _last(book, pick, Phase.DIAGNOSE)
    one_user_order, looked_at = _one_user(book), _last(book, pick, Phase.FLAME)
    trials = row.trials.filter(order__in=[order, diagnosed, one_user_order, looked_at])
    trials = trials.select_related("run").prefetch_related("run__measurements")
    runs = {one.order: one.run for one in trials}
    run, start, looked_into = runs.get(order), start or runs.get(diagnosed), runs.get(looked_at)
    if run is None:
        return None
    one = runs.get(one_user_order)
    mean = Alone(mean_s=book.probe.response_s) if book.probe else None
    found = limiting.told(
        run,
        alone=(one_user(one) if one else None) or mean,
        objective_s=book.question.objective.limit_s,
        others=others(book, pick),
        diagnosis=diagnosis(start) if start else None,
        profiled=profiled(looked_into) if looked_into else None,
    )
    return replace(found, flame=flame(looked_into)) if looked_into else found


def _last(book: Notebook, pick: Candidate, *phases: Phase) -> int:
    """Which trial was its last start in these phases that showed something; -1 for none."""
    return max(
        (
            order
            for order, entry in enumerate(book.entries)
            if entry.trial.candidate == pick and entry.trial.phase in phases and entry.seen.levels
        ),
        default=-1,
    )


def _one_user(book: Notebook) -> int:
    """Which trial was the last start of one user that showed something; -1 for none."""
    found = [
        order
        for order, entry in enumerate(book.entries)
        if entry.trial.phase is Phase.PROBE and entry.trial.load.users == 1 and entry.seen.levels
    ]
    return max(found, default=-1)
