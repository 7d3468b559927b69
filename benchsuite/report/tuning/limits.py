"""What limits the pick of a tuning: by its figures, one user's, and those of others in the race."""

from benchsuite.bottlenecks.evidence import Alone
from benchsuite.models import Run, Tuning
from benchsuite.report import limiting
from benchsuite.tuning.beside import others
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
    return limiting.told(run, alone=alone, objective_s=goal, others=others(book, pick))
