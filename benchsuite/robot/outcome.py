"""A completion in words."""

from benchsuite.robot.walk import Completion, Visit

SHOWN = 70  #: Characters of an answer that are shown.


def summary(done: Completion) -> str:
    """3 pages, 14 answers, 2 mistakes mended, code 7GJ4."""
    pages, answers = len(done.visits), sum(len(visit.answers) for visit in done.visits)
    mended = sum(len(visit.mended) for visit in done.visits)
    parts = [f"{pages} page{'s' * (pages != 1)}", f"{answers} answer{'s' * (answers != 1)}"]
    if mended:
        parts.append(f"{mended} mistake{'s' * (mended != 1)} mended")
    if done.evidence:
        parts.append(done.evidence)
    return ", ".join(parts)


def lines(visit: Visit) -> list[str]:
    """One page: what was answered, and what was mended on the way."""
    title = f"  {visit.title}" if visit.title else ""
    found = [f"page {visit.number}  {visit.path}{title}"]
    for name, value in visit.answers:
        text = " ".join(str(value).split())
        secret = "password" in name.lower()
        shown = "(a password)" if secret else text[:SHOWN] + "…" * (len(text) > SHOWN)
        found.append(f"    {name} = {shown}")
    found += [f"    mended: {text}" for text in visit.mended]
    return found
