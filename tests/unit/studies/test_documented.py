"""The page on studies: its example is a study, and its table has every key."""

import re
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.management.options import run as run_options
from benchsuite.studies import matrix, reading
from benchsuite.studies.options import arguments

PAGE = Path("docs/studies.md").read_text()


def example() -> str:
    (found,) = re.findall(r"```toml\n(.+?)```", PAGE, re.DOTALL)
    return str(found)


def test_every_cell_of_the_example_is_one_run(tmp_path):
    file = tmp_path / "shop_servers.toml"
    file.write_text(example())
    study = reading.read(file, run_options.known())
    for scale, expected in ((1.0, 10), (0.05, 9)):
        found = matrix.cells(study, scale)
        assert len(found) == expected
        assert {run_options.of_cell(arguments(cell)).server.server for cell in found} == {
            "gunicorn-sync",
            "gunicorn-gthread",
            "waitress",
        }


@pytest.mark.parametrize(
    "before",
    [
        *("", "[scale]", "[objective]", "[[published]]", "[[table]]", "[[chart]]", "[[claim]]"),
        *("[[claim.check]]", "[[answer]]"),
    ],
)
def test_the_table_has_every_key(before):
    """The sentence that refuses a key lists those that there are."""
    head = 'format = 1\nname = "x"\nquestion = "?"\n[axis.a]\nb = {}\n'
    claim = '[[claim]]\nname = "c"\nsays = "?"\n' if before == "[[claim.check]]" else ""
    text = f"wrong = 1\n{head}" if not before else f"{head}{claim}{before}\nwrong = 1\n"
    with pytest.raises(UsageError) as refused:
        reading.parse(text, Path("x.toml"))
    names = re.search(r"here are: (.*)\.$", str(refused.value))
    assert names, refused.value
    table = "".join(line for line in PAGE.splitlines(keepends=True) if line.startswith("| "))
    for name in names[1].split(", "):
        assert re.search(rf"`(\[+({name}|claim\.{name})[\].]|{name}`)", table), name


def test_the_catalogue_is_shown_with_its_cells_and_starts():
    rows = {
        name: (question, whole, small)
        for name, question, whole, small in re.findall(
            r"^\| `(\w+)` \| (.+?\?) \| (\d+ × \d) \| [^|]+ \| (\d+ × \d) \|", PAGE, re.MULTILINE
        )
    }
    for name, file in reading.studies().items():
        study = reading.read(file)
        told = [
            f"{len(matrix.cells(study, scale))} × {matrix.repeats(study, scale)}"
            for scale in (1, 0.05)
        ]
        assert rows.pop(name) == (study.question, *told)
    assert not rows
