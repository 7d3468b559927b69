"""Which studies there are."""

from pathlib import Path

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.studies import reading


def test_files_and_folders_are_added_under_the_names_of_their_files(tmp_path: Path) -> None:
    for name in ("b.toml", "a.toml", "figures.csv", "folder.toml/c.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = reading.studies([tmp_path, tmp_path / "folder.toml" / "c.toml"])
    assert list(found)[-3:] == ["a", "b", "c"]
    assert found["b"] == tmp_path / "b.toml"
    assert {file.parent for file in reading.studies().values()} <= {reading.FOLDER}


def test_two_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "shop.toml").touch()
    (tmp_path / "shop.toml").touch()
    with pytest.raises(UsageError, match="Two studies are called shop, "):
        reading.studies([tmp_path / "a", tmp_path])
