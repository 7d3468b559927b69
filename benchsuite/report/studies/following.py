"""What follows from an execution of a study, in a few plain sentences, and what to do next."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from benchsuite.core.commands import command
from benchsuite.core.metrics.every import Metric
from benchsuite.core.results import Status
from benchsuite.core.units import listed
from benchsuite.models import StudyRun
from benchsuite.studies import figures
from benchsuite.studies.claims import Answered, Judgement, Lead, Outcome, Situation
from benchsuite.studies.measured import Execution
from benchsuite.studies.study import Study
from benchsuite.studies.tables import written

MOST = 5
NAMED = 3  #: Of those that are as good as each other.
ANSWERS, CLAIMS = "answers", "claims"


@dataclass(frozen=True, slots=True)
class Follow:
    words: str
    asked: str = ""  #: The question that they answer.
    place: str = CLAIMS  #: The section of the page that it rests on.


def follows(
    study: Study, answered: Sequence[Answered], claims: Sequence[Judgement]
) -> list[Follow]:
    """At most five: answers to the study's questions, then claims, first those that don't hold."""
    return list(islice(_all(study, answered, claims), MOST))


def _all(
    study: Study, answered: Sequence[Answered], claims: Sequence[Judgement]
) -> Iterator[Follow]:
    metrics = {one.name: figures.metric(one) for one in study.figures}
    for one in answered:
        if one.situations:
            asked = " ".join(one.answer.asks.split())
            words = _words(one.situations, metrics[one.by.figure])
            yield Follow(words, asked, ANSWERS)
    for outcome in (Outcome.FAILS, Outcome.HOLDS):
        for claim in claims:
            if claim.outcome is outcome:
                yield Follow(f"“{claim.claim.says.rstrip('.')}” {outcome.value} today.")
    untold = [claim.reason for claim in claims if claim.outcome is Outcome.UNTOLD]
    if untold:
        (reason, _), *others = Counter(one.partition(";")[0] for one in untold).most_common()
        of = "One claim" if len(untold) == 1 else f"{len(untold)} claims"
        yield Follow(f"{of} can’t be told here{', mostly' * bool(others)}: {reason}.")


def _words(situations: Sequence[Situation], metric: Metric) -> str:
    if len(situations) == 1:
        return _one(situations[0], metric)
    first = Counter(one.best[0].name for one in situations if one.lead is Lead.ALONE)
    if not first:
        shared = any(one.lead is Lead.SHARED for one in situations)
        return "In no case one is clearly best." if shared else "It can’t be told here."
    leaders = [f"{name} in {count}" for name, count in first.most_common(NAMED)]
    return f"Clearly best of {len(situations)} cases: {listed(leaders)}."


def _one(situation: Situation, metric: Metric) -> str:
    if situation.lead is Lead.UNTOLD:
        why = [*situation.unknown, *situation.absent]
        return f"It can’t be told here{f'; {why[0]}' if why else ''}."
    names = [arm.name for arm in situation.best]
    if situation.lead is Lead.SHARED:
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        return f"{', '.join(names[:NAMED])}{more} may be equally good."
    value = situation.best[0].found.value
    return f"{names[0]}{f' with {written(metric, value)}' if value is not None else ''}."


def next_step(row: StudyRun, execution: Execution) -> tuple[str, str]:
    """One thing to do, and the command that does it."""
    again = command("runstudy", row.name)
    if row.status == Status.RUNNING.value:
        return "", ""
    if row.status != Status.FINISHED.value:
        return "It has not ended; go on with it:", f"{again} --resume"
    runs = [run for cell in execution.cells for run in cell.starts]
    noisy = sum(any(why.startswith("B4") for why in run.excluded) for run in runs)
    if 2 * noisy > len(runs):
        busy = f"The machine was busy in {noisy} of {len(runs)} runs; see what keeps it busy:"
        return busy, command("checkbench")
    if row.scale != 1:
        return "It was shortened; execute it whole to tell more:", again
    return "Execute it again to see whether it stays so:", again
