"""The figures that a study published, by the cells that they are of. They stand beside what was
measured; an old machine's figures are no judgement on a new one's.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchsuite.core.exceptions import UsageError
from benchsuite.studies.study import Coordinates, Published, Study

Value = float | str  #: A text is a range or words, as they were published: "14.00-14.25".


@dataclass(frozen=True, slots=True)
class Row:
    """What is published of the cells that have these values."""

    cell: Coordinates  #: Axes that the file doesn't name are left open.
    figures: Mapping[str, Value]  #: By the study's names.


def rows(study: Study) -> list[Row]:
    """Of all its files; raises UsageError for one that can't be read."""
    folder = Path(study.path).parent
    return [row for each in study.published for row in _rows(folder / each.file, each)]


def of(rows: Sequence[Row], coordinates: Coordinates) -> dict[str, Value]:
    """What is published of a cell; a row that says more of it wins over one that says less."""
    values: dict[str, Value] = {}
    for row in sorted(rows, key=lambda other_row: len(other_row.cell)):
        if row.cell.items() <= coordinates.items():
            values |= row.figures
    return values


def _rows(path: Path, each: Published) -> list[Row]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error) as error:
        raise UsageError(f"published: {path.name} can't be read: {error}.") from error
    return [
        Row(
            {
                axis: each.names.get(axis, {}).get(line.get(column, ""), line.get(column, ""))
                for axis, column in each.cell.items()
            },
            {
                figure: value if isinstance(value, str) else value * each.factor.get(figure, 1.0)
                for figure, column in each.figures.items()
                if (value := _value(line.get(column))) is not None
            },
        )
        for line in lines
        if all(line.get(column) == value for column, value in each.only.items())
    ]


def _value(text: str | None) -> Value | None:
    """None for what is empty."""
    try:
        number = float(text) if text and text.strip() else None
    except ValueError:
        return text
    return number if number is None or math.isfinite(number) else text
