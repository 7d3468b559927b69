"""What a Python says of itself; other Pythons are given the same text."""

import json
import runpy
import sys
from pathlib import Path

import pytest

from benchsuite.pythons.interpreter import Interpreter
from benchsuite.system import installed

URL = "https://example.com/shop"


def distribution(folder: Path, name: str, version: str, origin: object = None) -> None:
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin))


def test_of_two_of_a_name_the_one_that_is_imported_counts(tmp_path, monkeypatch):
    distribution(tmp_path / "first", "Shop.Cart", "2.0")
    distribution(tmp_path / "second", "shop-cart", "1.0")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "first"), str(tmp_path / "second")])
    assert installed.distributions() == {"shop-cart": ("2.0", "")}


@pytest.mark.parametrize(
    ("origin", "told"),
    [
        ({"url": URL, "vcs_info": {"vcs": "git", "commit_id": "0123456789abcdef"}}, "0123456789ab"),
        ({"url": URL, "archive_info": {"hash": "sha256=fedcba98765432"}}, "fedcba987654"),
        ({"url": URL, "archive_info": {"hashes": {"sha256": "fedcba98765432"}}}, "fedcba987654"),
        ({"url": "file:///shop", "dir_info": {"editable": True}}, "editable"),
        ({"url": "file:///shop", "dir_info": {}}, ""),
        ({"url": URL, "archive_info": {}}, ""),
    ],
)
def test_what_came_from_no_index_is_told_by_its_commit(tmp_path, monkeypatch, origin, told):
    distribution(tmp_path, "shop", "1.0", origin)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert installed.distributions() == {"shop": ("1.0", told)}


def test_run_as_a_program_it_prints_what_it_tells(capsys):
    runpy.run_path(installed.__file__, run_name="__main__")
    said = json.loads(capsys.readouterr().out)
    assert said["facts"] == installed.facts()
    assert said["installed"]["django"][0] == Interpreter().installed("django")
