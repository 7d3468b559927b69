"""What makes verdicts doubtful, in lines: one for each code, however many runs have it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from operator import itemgetter

from benchsuite.core.results import Level
from benchsuite.core.units import THIN_SPACE, format_bytes, format_percent
from benchsuite.findings.registry import FINDINGS
from benchsuite.models import Finding, Run

WRITTEN = {"%": format_percent, "bytes": format_bytes}  #: Values by their unit; others are counts.

Doubts = Sequence[tuple[Run, Finding]]


def doubt_lines(rows: Sequence[Run]) -> list[str]:
    """For each finding the servers that have it, and its hint.

    Of several runs the gravest stands for all, with how many they are and the range of its value.
    """
    runs = Counter(row.key for row in rows)
    always = {rule.code for rule in FINDINGS.values() if rule.always_told}
    by_code: dict[str, dict[str, list[tuple[Run, Finding]]]] = {}
    for row in rows:
        for finding in row.findings.all():
            if finding.level != Level.INFO.value or finding.code in always:
                cells = by_code.setdefault(finding.code, {})
                cells.setdefault(row.key, []).append((row, finding))
    lines: list[str] = []
    for code, cells in sorted(by_code.items(), key=itemgetter(0)):
        doubts = [doubt for of_cell in cells.values() for doubt in of_cell]
        lines.append(f"{code}  {_who(cells, runs)}: {_gravest(doubts)[1].message}")
        hints = (finding.hint for _, finding in doubts)
        lines += [f"  {hint}" for hint in dict.fromkeys(hints) if hint]
    return lines


def _who(by_cell: Mapping[str, Doubts], runs: Mapping[str, int]) -> str:
    """ "uwsgi", "uwsgi, 3 of 4 runs", "all 12 configurations, 78.1–100 %; worst, uwsgi"."""
    doubts = [doubt for of_cell in by_cell.values() for doubt in of_cell]
    server = _gravest(doubts)[0].server
    if len(by_cell) == 1:
        ((key, of_cell),) = by_cell.items()
        many = len({row.pk for row, _ in of_cell})
        return server if runs[key] == 1 else f"{server}, {many} of {runs[key]} runs"
    values = _range([finding for _, finding in doubts])
    having, of = len(by_cell), len(runs)
    who = f"{having} of {of}" if having < of else "both" if of == 2 else f"all {of}"
    return f"{who} configurations{f', {values}' if values else ''}; worst, {server}"


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
