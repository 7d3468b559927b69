"""What a measured server finds in its environment."""

import os
import sys
import sysconfig
from pathlib import Path

import pytest

from benchsuite.planning import adapter
from benchsuite.runner.surroundings import MOST_PADDING, import_folders, surroundings
from benchsuite.specs import RunSpec, ServerSpec

UVICORN = adapter(RunSpec(server=ServerSpec(server="uvicorn")))


def made(seed: int = 1) -> dict[str, str]:
    return surroundings(UVICORN, token="feed", plan=Path("/run/plan.json"), seed=seed)


def test_it_opens_the_target_and_loads_the_isolated_settings() -> None:
    env = made()
    assert env["BENCHSUITE_RUN"] == "feed"
    assert env["BENCHSUITE_PLAN"] == "/run/plan.json"
    assert env["DJANGO_SETTINGS_MODULE"] == "benchsuite.isolation.settings"


def test_each_start_varies_hash_seed_and_size_and_repeats_them_by_seed() -> None:
    assert made(1) == made(1)
    sizes = {len(made(seed)["BENCHSUITE_PADDING"]) for seed in range(20)}
    hashes = {made(seed)["PYTHONHASHSEED"] for seed in range(20)}
    assert len(sizes) > 15
    assert len(hashes) == 20
    assert max(sizes) < MOST_PADDING
    assert all(0 <= int(one) < 2**32 for one in hashes)


def test_the_projects_modules_are_found_and_the_interpreters_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    installed = sysconfig.get_path("purelib")
    monkeypatch.setattr(sys, "path", ["", "/nowhere", *sys.path, f"{installed}/django"])
    folders = import_folders()
    assert folders[0] == os.path.realpath(tmp_path)
    assert "/nowhere" not in folders
    assert not [folder for folder in folders if folder.startswith(installed)]
