"""When two recipes share an environment, when one counts, and why one can't be built."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchsuite.pythons import building
from benchsuite.pythons.building import MARK, Recipe, Requirements, Slot, Step

RECIPE = Recipe(
    name="new",
    python=Path("/pythons/3.13/bin/python"),
    steps=(Step(requirements=Requirements.parse("django==5.2.1")),),
)


@pytest.fixture(autouse=True)
def build(monkeypatch):
    monkeypatch.setattr(building, "build_of", lambda python: f"3.13.0 of {python}")


def digest(**changes):
    return Slot(replace(RECIPE, **changes), Path("/cache")).digest


def test_whatever_it_is_made_of_makes_another_one(monkeypatch):
    django, step = Requirements.parse("django==5.2.1"), RECIPE.steps[0]
    digests = {
        digest(),
        digest(python=Path("/pythons/3.12/bin/python")),
        digest(steps=(Step(requirements=Requirements.parse("django==5.2.2")),)),
        digest(steps=(Step(requirements=django, options=("--no-deps",)),)),
        digest(steps=(Step(requirements=django, variables={"CFLAGS": "-w"}),)),
        digest(steps=(step, Step(requirements=Requirements.parse("dj-database-url")))),
        digest(files={"one.pth": "import one"}),
        digest(proof="import django"),
    }
    monkeypatch.setattr(building, "build_of", lambda python: "another build at the same path")
    assert len({*digests, digest()}) == 9


def test_it_is_built_once_it_has_its_mark_and_for_as_long_as_its_interpreter_is_there(tmp_path):
    slot = Slot(RECIPE, tmp_path)
    assert not slot.is_built
    slot.python.parent.mkdir(parents=True)
    slot.python.write_text("")
    slot.python.chmod(0o755)
    assert not slot.is_built
    (slot.folder / MARK).write_text("{}")
    assert slot.is_built
    slot.python.unlink()
    slot.python.symlink_to(tmp_path / "python that was removed")
    assert not slot.is_built


def test_requirements_are_kept_by_their_digest_for_their_owner_only(tmp_path):
    wanted = Requirements.parse("--index-url https://me:secret@example.org/\ndjango==5.2.1")
    assert Requirements.kept(wanted.digest, tmp_path) is None
    wanted.keep(tmp_path)
    wanted.keep(tmp_path)
    assert Requirements.kept(wanted.digest, tmp_path) == wanted
    [path] = (tmp_path / "requirements").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text())["lines"] == list(wanted.lines)


def test_values(golden):
    golden.values()
