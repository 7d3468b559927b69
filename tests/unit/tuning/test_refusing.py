"""What arithmetic refuses is never started, and says why."""

from benchsuite.core.specs.objective import parse
from benchsuite.tuning.trial import Candidate, Question


def size(server="gthread", processes=1, threads=8, **more) -> Candidate:
    slots = processes * threads
    more.setdefault("connections", slots)
    return Candidate(server=server, processes=processes, threads=threads, slots=slots, **more)


def question(**more) -> Question:
    more.setdefault("objective", parse("p95 < 200ms"))
    return Question(cpus=more.pop("cpus", 2), **more)


def test_values(golden):
    golden.values()
