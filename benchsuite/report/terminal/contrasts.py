"""Contrasts as a table: on the screen and in Markdown."""

import re
from collections.abc import Sequence

from rich.text import Text

from benchsuite.comparing.contrasts import Contrast, corrected
from benchsuite.comparing.gate import Judgement
from benchsuite.comparing.margins import margins_sentence
from benchsuite.core.metrics.metric import Scale
from benchsuite.core.printable import printable
from benchsuite.core.units import MISSING
from benchsuite.report.terminal.grid import Grid
from benchsuite.stats.compare import Outcome

HEADINGS = (
    "figure",
    "candidate",
    "baseline",
    "starts",
    "values",
    "ratio",
    "95 % interval",
    "p",
    "shown",
)
TEXT = ("figure", "candidate", "baseline", "shown")
SPARE = ("baseline", "starts", "values", "p")
"""What a narrow terminal leaves out, the first first; the sentences below the table have it."""
MEANT = re.compile(r"([\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_]))")
"""What Markdown takes for more than text; an underscore within a word is one."""
WORDS = {True: "better", False: "worse"}
COLOURS = {True: "green", False: "red", None: None}


def screen_table(found: Sequence[Contrast]) -> Grid:
    """One row for each contrast, as `runbench` prints its results."""
    return Grid(
        headings=HEADINGS,
        rows=[
            [Text(cell, style=COLOURS[one.is_better] or "") for cell in cells(one)] for one in found
        ],
        words=TEXT,
        spare=SPARE,
    )


def cells(one: Contrast) -> list[str]:
    """A value for each of `HEADINGS`; p is the corrected one."""
    first, second = one.found.means
    return [
        one.metric.short,
        one.candidate.title,
        one.baseline.title,
        f"{one.found.starts[1]}:{one.found.starts[0]}",
        f"{one.metric.show(second)} : {one.metric.show(first)}",
        one.value_text,
        one.interval_text or MISSING,
        one.p_number or MISSING,
        _shown(one),
    ]


def _shown(one: Contrast) -> str:
    """Better or worse, in doubt, too small, or nothing."""
    if one.is_better is not None:
        return WORDS[one.is_better]
    if one.doubt:
        return "invalid"
    return "too small" if one.found.outcome is Outcome.TOO_SMALL else ""


def markdown(
    found: Sequence[Contrast],
    judgements: Sequence[Judgement],
    *,
    first: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> str:
    """A summary for a pull request: what differs, then conditions, the table, the sentences."""
    lines = ["## comparebench", "", *_quoted(first)]
    if judgements:
        lines += _rows(
            ["condition", "candidate", "baseline", "decision", "change"],
            [
                [
                    f"`{one.condition.text}`",
                    _escaped(one.contrast.candidate.title),
                    _escaped(one.contrast.baseline.title),
                    f"**{one.decision.value}**",
                    _escaped(one.why),
                ]
                for one in judgements
            ],
        )
    lines += _rows(HEADINGS, [[_escaped(cell) for cell in cells(one)] for one in found])
    said = (line for one in found for line in (one.sentence, corrected(one)) if line)
    lines += [f"- {_escaped(line)}" for line in said]
    if notes:
        lines += ["", *_quoted(notes)[:-1]]
    lines += ["", margins_sentence({one.metric.short: one.metric for one in found}.values())]
    if any(one.found.scale is Scale.DIFFERENCE for one in found):
        lines += ["", "Failures are compared by difference, in percentage points."]
    return "\n".join(lines) + "\n"


def _quoted(cautions: Sequence[str]) -> list[str]:
    return [*(f"> {_escaped(caution)}" for caution in cautions), *([""] if cautions else [])]


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [*(f"| {' | '.join(line)} |" for line in lines), ""]


def _escaped(text: str) -> str:
    """Text that no Markdown makes something else of, on one line."""
    return MEANT.sub(r"\\\1", " ".join(printable(text).split()))
