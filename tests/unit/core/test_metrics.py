"""The registry of figures, held against columns, stored runs and its table in the docs."""

from pathlib import Path

import pytest
from django.db.models import FloatField, IntegerField

from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Better, Metric, Place, Unit
from benchsuite.models import Measurement, Run
from benchsuite.report.exports import FACTS

DOCS = Path(__file__).parents[3] / "docs" / "reading-results.md"


def test_columns_with_figures_are_those_that_are_filled():
    numbers = {
        field.name
        for field in Run._meta.concrete_fields
        if isinstance(field, (FloatField, IntegerField))
    }
    assert numbers - set(FACTS) == {one.name for one in every.METRICS if one.read}


@pytest.mark.parametrize("one", every.METRICS, ids=lambda one: one.name)
def test_each_has_its_unit_in_its_name_and_one_source(one):
    assert one.with_unit == one.name or one.unit is Unit.RATE
    assert (one.read is None) != (one.of is None)
    assert bool(one.places) or one.short or one.of_times, "told nowhere"


def test_what_is_told_of_parts_is_stored_of_them():
    columns = {field.name for field in Measurement._meta.concrete_fields}
    for one in (*every.in_place(Place.STAGE), *every.in_place(Place.PART)):
        assert one.of_times or one.name in columns


def test_the_table_of_the_docs_is_that_of_the_registry():
    lines = [line.split(" | ") for line in DOCS.read_text(encoding="utf-8").splitlines()]
    told = [line[:5] for line in lines if line[0].startswith("| `") and len(line) == 6]
    assert told == [
        [
            f"| `{one.name}`",
            one.unit.value,
            one.better.value if one.better else "",
            f"`{one.short}`" if one.short else "",
            " ".join(place.name or "" for place in (Place.CSV, Place.JSON) if place in one.places),
        ]
        for one in every.METRICS
        if one.short or Place.JSON in one.places
    ]


def shown(unit, value):
    figure = Metric("any", unit, Better.LESS, of_answers=True)
    return figure.show(value, "messages").replace("\u2009", " ")


def doubled(names):
    return {name for name in names if names.count(name) > 1}


def test_values(golden):
    golden.values()
