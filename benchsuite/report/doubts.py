"""What makes verdicts doubtful, in lines: one a code where many cells have the same."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter

from benchsuite.core.results import Level
from benchsuite.findings.registry import FINDINGS
from benchsuite.models import Finding, Run

MANY = 3  #: From so many cells on a code is told once for all.

FIGURE = re.compile(r"(\d[\d\u2009]*(?:\.\d+)?)\u2009?(%|[µm]?s\b|[KMG]iB\b|/s\b)")
"""A figure with its unit, as `benchsuite.core.units` writes it."""
UNITS = {
    "%": ("%", 1.0),
    "µs": ("s", 1e-6),
    "ms": ("s", 1e-3),
    "s": ("s", 1.0),
    "KiB": ("B", 2.0**10),
    "MiB": ("B", 2.0**20),
    "GiB": ("B", 2.0**30),
    "/s": ("/s", 1.0),
}
"""What each unit measures, and how much of it it is."""

Found = Sequence[tuple[Run, Finding]]


def doubt_lines(rows: Sequence[Run]) -> list[str]:
    """For each finding the servers that have it, and its hint.

    Of several starts of one server the gravest stands for all, with how many they are; where many
    cells have a code, the gravest of all stands for them, with the range of its figure.
    """
    starts = Counter(row.key for row in rows)
    told_always = {rule.code for rule in FINDINGS.values() if rule.always_told}
    seen: dict[str, dict[str, list[tuple[Run, Finding]]]] = {}
    for row in rows:
        for finding in row.findings.all():
            if finding.level != Level.INFO.value or finding.code in told_always:
                seen.setdefault(finding.code, {}).setdefault(row.key, []).append((row, finding))
    lines: list[str] = []
    for code, by_cell in sorted(seen.items(), key=itemgetter(0)):
        if len(by_cell) < MANY:
            told = [line for key, found in by_cell.items() for line in _told(found, starts[key])]
        else:
            told = [_at_once(by_cell, len(starts))]
        lines += dict.fromkeys(f"{code}  {one}" for one in told)
        hints = (one.hint for found in by_cell.values() for _, one in found)
        lines += [f"{' ' * len(code)}  {hint}" for hint in dict.fromkeys(hints)]
    return lines


def _told(found: Found, starts: int) -> list[str]:
    server = found[0][0].server
    if starts == 1:
        return [f"{server}: {finding.message}" for _, finding in found]
    many = len({row.pk for row, _ in found})
    such = " such as this" * (many > 1)
    return [f"{server}, {many} of {starts} starts{such}: {_gravest(found)[1].message}"]


def _at_once(by_cell: Mapping[str, Found], cells: int) -> str:
    """ "all 12 cells, 78.1–100 %; the worst, uwsgi: …"."""
    found = [one for each in by_cell.values() for one in each]
    who = f"all {cells} cells" if len(by_cell) == cells else f"{len(by_cell)} of {cells} cells"
    row, worst = _gravest(found)
    parts = [part for part in (who, _range([one.message for _, one in found])) if part]
    return f"{', '.join(parts)}; the worst, {row.server}: {worst.message}"


def _gravest(found: Found) -> tuple[Run, Finding]:
    """An invalid one before a weak one; of the same level the largest figure."""

    def weight(one: tuple[Run, Finding]) -> tuple[bool, float]:
        figure = _figure(one[1].message)
        return one[1].level == Level.INVALID.value, figure[1] if figure else 0.0

    return max(found, key=weight)


def _range(messages: Sequence[str]) -> str:
    """ "78.1–100 %": of the first figure of each message; empty where they are not alike."""
    figures = [figure for message in messages if (figure := _figure(message))]
    if len(figures) < len(messages) or len({kind for kind, _, _ in figures}) > 1:
        return ""
    (_, low, least), (_, high, most) = (pick(figures, key=itemgetter(1)) for pick in (min, max))
    if low == high:
        return most
    unit = most[len(most.rstrip("%µmsKMGiB/")) :]
    return f"{least.removesuffix(unit).rstrip()}–{most}"


def _figure(message: str) -> tuple[str, float, str] | None:
    """What the first figure with a unit measures, how much it is, and how it is written."""
    match = FIGURE.search(message)
    if match is None:
        return None
    kind, factor = UNITS[match[2]]
    return kind, float(match[1].replace("\u2009", "")) * factor, match[0]
