"""A completion: its pages, what shows that the form was taken, and both in words."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from benchsuite.robot.encoding import Value
from benchsuite.robot.forms import Page

SHOWN = 70  #: Characters of an answer that are shown.


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One page that was filled."""

    number: int
    path: str
    title: str
    tries: int
    answers: tuple[tuple[str, Value], ...]  #: The accepted answers by name, without hidden fields.
    mended: tuple[str, ...]  #: The errors of controls before that.
    repeated: str = ""  #: The complaint that the last two refusals had in common.


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """What the author of a form says that its last page has, and no page before it."""

    text: str = ""
    url: str = ""  #: A pattern of its path with query: /thanks/*.

    def on(self, page: Page, path: str) -> str:
        """What was seen of it, in words; empty if nothing."""
        if self.url and fnmatchcase(path, self.url):
            return f"the address {path}"
        words = " ".join(" ".join(page.texts).split())
        return f"the text {self.text!r}" if self.text and self.text in words else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The last page, and what led to it."""

    page: Page
    url: str
    path: str
    asked: str  #: The path of the last form.
    filled: tuple[Page, ...]  #: The pages before, as they were received.


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A walk to its end. Whether the form was taken is for its evidence to say."""

    visits: tuple[Visit, ...]
    path: str  #: Of the last page.
    code: str = ""  #: Its completion code, empty when it has none.
    evidence: str = ""  #: What shows that the form was taken; empty: ended without confirmation.
    doubt: str = ""  #: Why the last page shows nothing.
    ending: Ending | None = None  #: For evidence from elsewhere, where there is none yet.

    @property
    def pages(self) -> int:
        """Including the last one."""
        return len(self.visits) + 1


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
