"""What explains a run: the errors that the server met behind failed answers, and what a diagnostic
start has seen, of all processes together.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchsuite.core.exceptions import AnswerError, UnavailableError
from benchsuite.isolation.facts import Facts
from benchsuite.isolation.served.diagnosing import COUNTED, read
from benchsuite.isolation.served.errors import Error, is_the_projects, short
from benchsuite.load.parent.driver import NameEntry
from benchsuite.runner.running_system import RunningSystem
from benchsuite.stats import stacks

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


def with_cause(
    answer: AnswerError, serving: RunningSystem, facts: Facts, filled: Sequence[str]
) -> str:
    """A wrong answer in words, with what is behind it."""
    behind = error_behind(f"{answer.method} {answer.path}", answer.status, serving.errors)
    cause = reason(behind) if behind else serving.first_error() or ""
    routed = behind is None or behind.routed
    data = about_the_data(answer, routed=routed, empty=facts.empty, filled=filled)
    by_debug = "DEBUG" in facts.undone and (answer.status or 0) >= 400
    words = [f"{answer} ({cause})" if cause else str(answer), DEBUG_OFF * by_debug, data]
    return " ".join(filter(None, words))


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


PACKAGES = re.compile(r".*/(?:site-packages|dist-packages|python\d\.\d+)/")
TARGET_APP = "/benchsuite/target/"  #: The project, where it is measured.
IDLE = re.compile(
    r"\S*\b(select|poll) \((selectors|waitress/wasyncore)\.py|Condition\.wait \(threading\.py"
    r"|_worker \(concurrent/futures/thread\.py|<module> \(\S*\bbin/uwsgi:"
)
"""Where threads wait for work. One that has just been woken is taken for busy there; py-spy, which
leaves such stacks out too, knows these functions without their classes. Of uWSGI, whose C code
waits below no function, it can't tell at all whether it does."""
Account = Mapping[str, Any]


def diagnosis(instructions: Path) -> dict[str, Any] | None:
    """Means of a request, page by page, most time first; None where nothing was written."""
    accounts = read(instructions)
    names = dict.fromkeys(name for one in accounts for name in one["pages"])
    pages = [_page(name, accounts) for name in names]
    if not pages:
        return None
    return {
        "pages": sorted(pages, key=lambda page: -page["requests"] * page["request_s"]),
        "paused_s": sum(one["paused_s"] for one in accounts),
        "longest_pause_s": max(one["longest_pause_s"] for one in accounts),
        "cpu_s": sum(one["cpu_s"] for one in accounts),
    }


def _page(name: str, accounts: Iterable[Account]) -> dict[str, Any]:
    seen = [account["pages"][name] for account in accounts if name in account["pages"]]
    sums = {key: sum(page[key] for page in seen) for key in COUNTED}
    requests = sums.pop("requests")
    times, seconds = Counter[tuple[str, str, int]](), Counter[tuple[str, str, int]]()
    for *shape, count, took_s in (shape for page in seen for shape in page["shapes"]):
        times[*shape] += count
        seconds[*shape] += took_s
    shapes = [
        {
            "query": shape[0],
            "place": shape[1],
            "times": times[shape] / requests,
            "query_s": took_s / requests,
        }
        for shape, took_s in seconds.most_common(10)  # those that took most time
    ]
    means = {key: value / requests for key, value in sums.items()}
    return {"page": name, "requests": requests, **means, "shapes": shapes}


def flame(seen: str, rate_hz: int) -> dict[str, Any]:
    """Of stacks as the profiler writes them; raises UnavailableError where there are none."""
    own: set[str] = set()

    def renamed(call: str) -> str:
        """With a short path; it is remembered whether this is what is measured."""
        name, place = stacks.words(call)
        path, _, line = place.rpartition(":")
        if not path:
            return call
        package = PACKAGES.sub("", path)  # else from the current directory
        place = package if package != path or path.startswith("<") else short(path)
        words = f"{name} ({place}:{line})"
        is_file = not path.startswith("<") and "/bin/" not in path
        if is_file and (TARGET_APP in path or is_the_projects(path)):
            own.add(words)
        return words

    parsed = stacks.parsed(seen, renamed)
    busiest, least = stacks.folded({one: n for one, n in parsed.items() if not IDLE.match(one[-1])})
    if not busiest:
        raise UnavailableError(
            "The profiler saw no Python code at work: the server hardly used its CPUs; ask for a "
            "page that does more, or leave --flame out."
        )
    calls = {call for stack in busiest for call in stack}
    return {
        "flame": {
            "samples": sum(busiest.values()),
            "rate_hz": rate_hz,
            "least": least,
            "project": sorted(own & calls),
            "stacks": stacks.packed(busiest),
        }
    }
