"""docs/studies.md against the derived figures."""

from pathlib import Path

from benchsuite.studies.figures import DERIVED, OPTIONS

DOCS = Path(__file__).parents[3] / "docs" / "studies.md"


def test_every_derived_figure_is_told_as_it_is() -> None:
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    told = dict(row.strip("| ").split(" | ", 1) for row in rows)
    for one in DERIVED.values():
        options = ", ".join(
            f"`{name}`" + ("" if value is None else f" ({value})")
            for name, value in one.options.items()
        )
        row = f"{one.says} | {options} | {', '.join(one.scopes)}"
        assert told.get(f"`{one.name}`") == row, one.name


def test_every_option_of_a_figure_is_checked() -> None:
    assert {name for one in DERIVED.values() for name in one.options} <= set(OPTIONS)
