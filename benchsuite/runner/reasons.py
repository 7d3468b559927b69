"""Why requests failed: the errors that the server met beside what its clients saw of them."""

from collections.abc import Sequence
from dataclasses import replace

from benchsuite.core.exceptions import AnswerError
from benchsuite.isolation.served.errors import Error
from benchsuite.load.parent.driver import NameEntry

EMPTY = (
    "the database holds no rows but those that `migrate` makes, so lists are empty (--fixture, "
    "--fill or --fill-from=mine fill it)"
)
DEBUG_OFF = (
    "Runs switch DEBUG off, which is True in your settings: name settings for production in "
    "BENCHSUITE['TARGET_SETTINGS'], or keep it with --setting=DEBUG=True."
)


def error_behind(asked: str, status: int | None, errors: Sequence[Error]) -> Error | None:
    """What is behind an answer with this status: of this page if possible, else the first alike."""
    alike = [one for one in errors if one.status == status is not None]
    here = (one for one in alike if one.asked == asked.partition("?")[0])
    return next(here, alike[0]) if alike else None


def reason(error: Error) -> str:
    """The error in words, and what helps."""
    is_static = "Missing staticfiles manifest entry" in error.message
    return error.words + "; --static=collect collects them anew for the run" * is_static


def about_the_data(answer: AnswerError, *, routed: bool, empty: bool, filled: Sequence[str]) -> str:
    """What the database held, where that may be why an answer was not the right one."""
    status = answer.status
    if status is None or answer.why or not routed:
        return ""
    if status >= 400 and status not in (404, 410, 500):  # which may come of what is stored
        return ""
    if empty:
        return f"{'Likely cause' if status < 500 else 'Beside that'}: {EMPTY}."
    return f"The database holds what `migrate` makes, and: {', '.join(filled)}." if filled else ""


def explained(names: Sequence[NameEntry], errors: Sequence[Error]) -> list[NameEntry]:
    """The same names; an example of a failure by its status says the error, too."""
    entries = []
    for entry in names:
        examples = dict(entry.examples)
        for kind, example in entry.examples.items():
            status, asked = entry.answers.get(kind, (None, ""))
            if behind := error_behind(asked, status, errors):
                examples[kind] = f"{example}: {reason(behind)}"
        entries.append(replace(entry, examples=examples))
    return entries
