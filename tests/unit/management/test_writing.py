"""What commands write for machines."""

from pathlib import Path

import pytest

from benchsuite.core.exceptions import BenchsuiteError, UsageError
from benchsuite.management import streams


def test_a_file_or_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "found.json"
    streams.write(str(file), "é\n")
    streams.write(str(file), "more\n", mode="a")
    assert file.read_text(encoding="utf-8") == "é\nmore\n"
    streams.write("-", "said\n")
    assert capsys.readouterr().out == "said\n"


def test_a_place_that_can_not_be_written_is_told(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "no" / "file.json")
    with pytest.raises(BenchsuiteError, match=r"file\.json could not be written: No such file"):
        streams.write(nowhere, "")


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("no/x.json", "there is no folder .*/no; create it"),
        (f"{'a' * 300}/x.json", "there is no folder .*a; create it"),
        ("a" * 300, "has a name of 300 characters"),
        (".", "is a folder; name a file in it"),
    ],
)
def test_where_no_file_can_be_is_told_before(
    file: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=f"--json.*{message}"):
        streams.check("--json", file)
