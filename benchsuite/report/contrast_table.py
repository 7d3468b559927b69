"""Contrasts as a table: on the screen and in Markdown."""

from collections.abc import Sequence

from rich import box
from rich.table import Table

from benchsuite.report.contrasts import Contrast
from benchsuite.report.gate import Judgement
from benchsuite.stats.compare import Scale
from benchsuite.units import MISSING

HEADINGS = ("figure", "candidate", "baseline", "starts", "values", "ratio", "95 % interval", "p")
TEXT = HEADINGS[:3]
SHAPES = {True: "better", False: "worse", None: ""}


def screen_table(found: Sequence[Contrast]) -> Table:
    """One row for each contrast, as `runbench` prints its results."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in (*HEADINGS, "shown"):
        is_text = heading in TEXT or heading == "shown"
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=True)
    for one in found:
        style = {True: "green", False: "red"}.get(bool(one.is_better)) if one.is_shown else None
        table.add_row(*cells(one), style=style)
    return table


def cells(one: Contrast) -> list[str]:
    """A value for each of `HEADINGS`, and whether the candidate is better."""
    first, second = one.found.means
    return [
        one.metric.name,
        one.candidate.title,
        one.baseline.title,
        f"{one.found.starts[1]}:{one.found.starts[0]}",
        f"{one.metric.show(second)} : {one.metric.show(first)}",
        one.value_text,
        one.interval_text or MISSING,
        one.p_text.removeprefix("p ").removeprefix("= ") or MISSING,
        SHAPES[one.is_better],
    ]


def markdown(
    found: Sequence[Contrast], judgements: Sequence[Judgement], cautions: Sequence[str]
) -> str:
    """A summary for a pull request: conditions first, then the table, then the sentences."""
    lines = ["## comparebench", ""]
    if judgements:
        lines += _rows(
            ["condition", "candidate", "baseline", "decision", "change"],
            [
                [
                    f"`{one.condition.text}`",
                    one.contrast.candidate.title,
                    one.contrast.baseline.title,
                    f"**{one.decision.value}**",
                    one.why,
                ]
                for one in judgements
            ],
        )
    lines += _rows([*HEADINGS, "shown"], [cells(one) for one in found])
    lines += [f"- {one.sentence}" for one in found]
    if cautions:
        lines += ["", *(f"> {caution}" for caution in cautions)]
    if any(one.found.scale is Scale.DIFFERENCE for one in found):
        lines += ["", "Failures are compared by difference, in percentage points."]
    return "\n".join(lines) + "\n"


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [*(f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in lines), ""]


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")
