"""What a diagnostic start has seen, of all processes together."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchsuite.isolation.served.diagnosing import COUNTED, read

MOST = 10  #: Queries that are kept of a page: those that took most time.

Account = Mapping[str, Any]


def diagnosis(instructions: Path) -> dict[str, Any] | None:
    """Means of a request, page by page, most time first; None where nothing was written."""
    accounts = read(instructions)
    pages = [_page(name, accounts) for name in dict.fromkeys(_names(accounts))]
    if not pages:
        return None
    return {
        "pages": sorted(pages, key=lambda one: -one["requests"] * one["request_s"]),
        "paused_s": sum(one["paused_s"] for one in accounts),
        "longest_pause_s": max(one["longest_pause_s"] for one in accounts),
        "cpu_s": sum(one["cpu_s"] for one in accounts),
    }


def _names(accounts: Iterable[Account]) -> list[str]:
    return [name for one in accounts for name in one["pages"]]


def _page(name: str, accounts: Iterable[Account]) -> dict[str, Any]:
    seen = [one["pages"][name] for one in accounts if name in one["pages"]]
    sums = {key: sum(one[key] for one in seen) for key in COUNTED}
    requests = sums.pop("requests")
    times: Counter[tuple[str, str, int]] = Counter()
    seconds: Counter[tuple[str, str, int]] = Counter()
    for query, place, digest, count, took_s in (shape for one in seen for shape in one["shapes"]):
        times[query, place, digest] += count
        seconds[query, place, digest] += took_s
    return {
        "page": name,
        "requests": requests,
        **{key: value / requests for key, value in sums.items()},
        "shapes": [
            {
                "query": query,
                "place": place,
                "times": times[query, place, digest] / requests,
                "query_s": took_s / requests,
            }
            for (query, place, digest), took_s in seconds.most_common(MOST)
        ],
    }
