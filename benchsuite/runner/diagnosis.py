"""What a diagnostic start has seen, of all processes together."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchsuite.core.exceptions import UnavailableError
from benchsuite.isolation.served.diagnosing import COUNTED, read
from benchsuite.isolation.served.errors import is_the_projects, short
from benchsuite.stats import stacks

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
