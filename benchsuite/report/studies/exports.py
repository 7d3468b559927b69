"""An execution of a study as Markdown, and as a table for machines."""

import math
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

from benchsuite.report.exports.markdown import ESCAPED, table
from benchsuite.report.exports.runs import table_as_csv
from benchsuite.report.studies.others import Beside, steps
from benchsuite.report.studies.told import SHAPES, Told
from benchsuite.studies import published
from benchsuite.studies.claims import Judgement


def markdown(told: Told, beside: Beside | None = None) -> str:
    """All of the page but the charts, whose numbers are in its tables, and the executions."""
    return "\n".join(_lines(told, beside))


def _lines(told: Told, beside: Beside | None) -> Iterator[str]:
    yield from (f"# {told.study.name}", "", f"**{told.study.question}**", "")
    yield from (
        f"{told.when}. {told.counts[:1].upper()}{told.counts[1:]}. Runs: {told.verdicts}.",
        "",
    )
    if told.remark:
        yield from (f"> {told.remark.translate(ESCAPED)}", "")
    if told.without_published:
        yield from (told.without_published, "")
    if beside:
        yield from _differences(beside)
    if told.claims:
        yield from ("## Claims", "")
        yield from table(
            ["claim", "published", "outcome", "why"],
            [
                [one.claim.says, one.claim.published, _outcome(one), one.reason]
                for one in told.claims
            ],
        )
    if told.questions:
        yield from ("## Answers", "", told.how_answered, "")
    for one in told.questions:
        yield from (f"### {one.asks.translate(ESCAPED)}", "", one.by, "")
        yield from table(one.headings, one.rows) if one.rows else ()
    yield from ("## Method", "")
    yield from _list(told.method)
    yield from ("All cells share:", "", "```", told.command, "```", "")
    yield from ("## Environment", "")
    yield from _list([f"{name}: {value}" for name, value in told.environment.items()])
    for shape in told.tables:
        yield from (f"## {shape.title}", "")
        yield from table(
            [shape.axis, "figure", *shape.headings],
            [[row.value, row.figure, *(one.whole for one in row.entries)] for row in shape.rows],
        )
    yield from ("## Cells", "")
    yield from table(
        ["cell", "options of its own", "starts", *told.headings],
        [
            [
                one.title,
                f"`{one.arguments}`" if one.arguments else "",
                one.starts,
                *(shown.text for shown in one.figures),
            ]
            for one in told.cells
        ],
    )
    trend = steps(told)
    if len(trend.executions) > 1:
        yield from (f"## {trend.title}", "")
        yield from _list(trend.sentences)


def _differences(beside: Beside) -> Iterator[str]:
    yield from (f"## {beside.title}", "")
    for one in beside.notes:
        yield from (one, "")
    yield from _list([one.words for one in beside.environment])
    if beside.found.turned:
        yield from table(
            ["claim", "there", "here", "why"],
            [
                [one.later.claim.says, _outcome(one.earlier), _outcome(one.later), one.later.reason]
                for one in beside.found.turned
            ],
        )
    for word, changes in beside.changes.items():
        if changes:
            yield from (f"### {len(changes)} difference{'s' * (len(changes) != 1)} {word}", "")
            yield from table(["cell", "figure", "this / other [95 % interval]"], changes)
    yield from _list(beside.missing)


def _outcome(one: Judgement) -> str:
    return f"{SHAPES[one.outcome]} {one.outcome.value}"


def _list(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield from (*(f"- {one}" for one in lines), "")


def csv(told: Told) -> Iterator[str]:
    """A row for each cell: coordinates, then each figure with least, most and published."""
    axes = [axis.name for axis in told.study.axes]
    names = [one.name for one in told.study.figures]
    head = [*axes, "state", "reason", "starts", "counted"]
    head += [f"{name}{end}" for name in names for end in ("", "_least", "_most", "_published")]
    return table_as_csv(head, _rows(told, axes, names))


def _rows(told: Told, axes: Sequence[str], names: Sequence[str]) -> Iterator[Sequence[Any]]:
    for cell in told.execution.cells:
        row: list[Any] = [cell.coordinates.get(axis, "") for axis in axes]
        row += [cell.state.value, cell.reason, len(cell.starts), len(cell.counted)]
        beside = published.of(told.published, cell.coordinates)
        for name in names:
            values = cell.values(name)
            known = [fmean(values), min(values), max(values)] if values else [None] * 3
            row += [None if one is None or math.isinf(one) else one for one in known]
            row.append(beside.get(name))
        yield row
