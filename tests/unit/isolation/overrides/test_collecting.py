"""What is collected, and where it may go."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django import test
from django.apps import apps
from django.contrib.staticfiles import storage
from django.contrib.staticfiles.management.commands import collectstatic
from django.contrib.staticfiles.storage import StaticFilesStorage

from benchsuite.core.exceptions import DatabaseError
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides import collecting


def test_a_storage_with_a_place_of_its_own_is_not_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that sets it in its `__init__`, out of reach of any setting."""
    folder, place = tmp_path / "run", tmp_path / "theirs"
    for where, refused in ((folder, False), (folder / "v1", False), (place, True)):
        monkeypatch.setattr(storage, "staticfiles_storage", SimpleNamespace(location=str(where)))
        if refused:
            with pytest.raises(DatabaseError, match=f"writes static files to {where}, whatever"):
                collecting._check_place(StaticFilesStorage, str(folder))
        else:
            collecting._check_place(StaticFilesStorage, str(folder))


@pytest.mark.parametrize("static", ["", "collect"])
def test_a_project_without_such_a_storage_has_nothing_to_collect(
    static: str, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(apps, "is_installed", lambda name: True)
    settings.STORAGES = {"default": settings.STORAGES["default"]}
    instructions = Instructions(
        settings_module="shop", token="t", folder=str(tmp_path), static=static
    )
    assert collecting.collected(instructions) == ""
    assert list(tmp_path.iterdir()) == []


def test_a_projects_own_collectstatic_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """It may write to a bucket, whatever the settings say."""
    called: list[Any] = []
    monkeypatch.setattr(
        collecting, "call_command", lambda command, **options: called.append(command)
    )
    monkeypatch.setattr(collecting, "_check_place", lambda storage, folder: None)
    monkeypatch.setattr(test, "override_settings", lambda **changed: SimpleNamespace(enable=int))
    collecting._collect(StaticFilesStorage, str(tmp_path))
    assert [type(one) for one in called] == [collectstatic.Command]
