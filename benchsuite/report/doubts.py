"""What makes verdicts doubtful, in lines: one a code where many cells have the same."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from operator import itemgetter

from benchsuite.core.results import Level
from benchsuite.core.units import THIN_SPACE, format_bytes, format_percent
from benchsuite.findings.registry import FINDINGS
from benchsuite.models import Finding, Run

MANY = 3  #: From so many cells on a code is told once for all.

WRITTEN = {"%": format_percent, "bytes": format_bytes}  #: Values by their unit; others are counts.

Doubts = Sequence[tuple[Run, Finding]]


def doubt_lines(rows: Sequence[Run]) -> list[str]:
    """For each finding the servers that have it, and its hint.

    Of several starts of one server the gravest stands for all, with how many they are; where many
    cells have a code, the gravest of all stands for them, with the range of its value.
    """
    starts = Counter(row.key for row in rows)
    always = {rule.code for rule in FINDINGS.values() if rule.always_told}
    by_code: dict[str, dict[str, list[tuple[Run, Finding]]]] = {}
    for row in rows:
        for finding in row.findings.all():
            if finding.level != Level.INFO.value or finding.code in always:
                cells = by_code.setdefault(finding.code, {})
                cells.setdefault(row.key, []).append((row, finding))
    lines: list[str] = []
    for code, cells in sorted(by_code.items(), key=itemgetter(0)):
        if len(cells) < MANY:
            words = [line for key, doubts in cells.items() for line in _of_one(doubts, starts[key])]
        else:
            words = [_of_many(cells, len(starts))]
        lines += dict.fromkeys(f"{code}  {line}" for line in words)
        hints = (finding.hint for doubts in cells.values() for _, finding in doubts)
        lines += [f"{' ' * len(code)}  {hint}" for hint in dict.fromkeys(hints)]
    return lines


def _of_one(doubts: Doubts, starts: int) -> list[str]:
    server = doubts[0][0].server
    if starts == 1:
        return [f"{server}: {finding.message}" for _, finding in doubts]
    many = len({row.pk for row, _ in doubts})
    such = " such as this" * (many > 1)
    return [f"{server}, {many} of {starts} starts{such}: {_gravest(doubts)[1].message}"]


def _of_many(by_cell: Mapping[str, Doubts], cells: int) -> str:
    """ "all 12 cells, 78.1–100 %; the worst, uwsgi: …"."""
    doubts = [doubt for of_cell in by_cell.values() for doubt in of_cell]
    who = f"all {cells} cells" if len(by_cell) == cells else f"{len(by_cell)} of {cells} cells"
    row, worst = _gravest(doubts)
    values = _range([finding for _, finding in doubts])
    return f"{who}{f', {values}' if values else ''}; the worst, {row.server}: {worst.message}"


def _gravest(doubts: Doubts) -> tuple[Run, Finding]:
    """An invalid one before a weak one; of the same level the one whose value is farthest off. One
    without a value, as where the whole server ended, is no matter of degree.
    """

    def weight(doubt: tuple[Run, Finding]) -> tuple[bool, float]:
        finding = doubt[1]
        value = inf if finding.value is None else finding.value
        rule = FINDINGS.get(finding.code.split()[0])
        sign = -1 if rule and rule.fewer_is_worse else 1
        return finding.level == Level.INVALID.value, sign * value

    return max(doubts, key=weight)


def _range(findings: Sequence[Finding]) -> str:
    """ "78.1–100 %"; empty where a value is missing, or where they are counts."""
    values = [finding.value for finding in findings if finding.value is not None]
    write = WRITTEN.get(findings[0].unit)
    if write is None or len(values) < len(findings):
        return ""
    least, most = write(min(values)), write(max(values))
    unit = THIN_SPACE + most.rpartition(THIN_SPACE)[2]
    return most if least == most else f"{least.removesuffix(unit)}–{most}"
