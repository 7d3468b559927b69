"""A study's file, well and badly written."""

from pathlib import Path

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.studies import reading
from tests.unit.studies.samples import KNOWN, TEXT, changed, study


def test_what_is_wrong_is_said_with_file_and_key(golden):
    golden.cases(lambda old, new: study(changed((old, new))), refuses=UsageError)


def test_options_may_need_figures_of_cells_that_need_none():
    share = 'rate = { share = 0.2, figure = "plateau", cell = { setup = "%s", delay = "0" } }'
    with pytest.raises(UsageError, match=r"configuration setup pool, .* needs another, too"):
        study(changed(("users = 50\n", f"{share % 'pool'}\n")))
    with pytest.raises(UsageError, match=r"configuration setup pool, route cpu, .* is excluded"):
        study(changed(("users = 500\n", f"{share % 'pool'}\n"), ("users = 50\n", "rate = 5\n")))


def test_a_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(UsageError, match="can't be read: No such file"):
        reading.read(tmp_path / "shop.toml")
    with pytest.raises(UsageError, match="can't be read: Is a directory"):
        reading.read(tmp_path)
    (tmp_path / "shop.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="is not UTF-8"):
        reading.read(tmp_path / "shop.toml")


def test_published_figures_must_lie_beside_the_study(tmp_path):
    file, figures = tmp_path / "shop.toml", tmp_path / "shop.csv"
    file.write_text(TEXT)
    with pytest.raises(UsageError, match=r"published\[1\].file: .*shop.csv can't be read"):
        reading.read(file, KNOWN)
    figures.write_text("setup,latency,rsp,route\n")
    with pytest.raises(UsageError, match="there is no column 'rps'; did you mean rsp"):
        reading.read(file, KNOWN)
    figures.write_text("setup,latency,rps,route\n")
    assert reading.read(file, KNOWN).path == str(file)


def test_figures_must_be_such_as_can_be_made(tmp_path, golden):
    def read(old, new):
        (tmp_path / "shop.toml").write_text(changed((old, new)))
        reading.read(tmp_path / "shop.toml", KNOWN)

    golden.cases(read, refuses=UsageError, replace={r"There are \d+": "There are many"})


def test_the_text_of_a_stored_study_needs_neither_options_nor_files_of_today():
    old = changed(("users = 500", "gone = [1]"), ("option.timeout_s = 30", "pairs.a = 1"))
    with pytest.raises(UsageError, match=r"every.gone\[1\]: must be a text"):
        reading.parse(old, Path("shop.toml"))
    found = reading.parse(old.replace("[1]", "true"), Path("shop.toml"))
    assert (found.every["gone"], found.every["pairs"]) == (True, {"a": 1})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("[" * 20_000 + "]" * 20_000, "this is no TOML: it is too deep or long."),
        ("{a = " * 20_000 + "1" + "}" * 20_000, "this is no TOML: it is too deep or long."),
        ("9" * 5000, "this is no TOML: it is too deep or long."),
        ("0x" + "f" * 20_000, "repeat: must be a whole number from 1 on, and is a number far too"),
    ],
)
def test_what_no_parser_takes_is_a_sentence(value, said):
    with pytest.raises(UsageError, match=f"^shop.toml: {said}"):
        reading.parse(f"format = 1\nrepeat = {value}\n", Path("shop.toml"))


def test_files_and_folders_are_added_under_the_names_of_their_files(tmp_path):
    for name in ("b.toml", "a.toml", "figures.csv", "folder.toml/c.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = reading.studies([tmp_path, tmp_path / "folder.toml" / "c.toml"])
    assert list(found)[-3:] == ["a", "b", "c"]
    assert found["b"] == tmp_path / "b.toml"
    assert {file.parent for file in reading.studies().values()} <= {reading.FOLDER}


def test_two_of_one_name_are_refused(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "shop.toml").touch()
    (tmp_path / "shop.toml").touch()
    with pytest.raises(UsageError, match="Two studies are called shop, "):
        reading.studies([tmp_path / "a", tmp_path])


def test_values(golden):
    golden.values()
