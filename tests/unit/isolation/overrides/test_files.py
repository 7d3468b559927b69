"""What stands for the project's own folders and storages is a copy; what is collected where."""

import errno
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from django import test
from django.apps import apps
from django.contrib.staticfiles import storage
from django.contrib.staticfiles.management.commands import collectstatic
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.core.files.storage import FileSystemStorage

from benchsuite.core.exceptions import DatabaseError
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides import files
from benchsuite.isolation.overrides.backends import EmailBackend, mailer, storage_of_the_run
from benchsuite.isolation.overrides.changes import Changes
from benchsuite.isolation.overrides.files import change_static, handed_on, make_folders


def test_a_folder_begins_as_a_copy(tmp_path):
    own, run = tmp_path / "media", tmp_path / "run" / "files" / "media"
    (own / "a").mkdir(parents=True)
    (own / "a" / "x.txt").write_text("mine")
    assert make_folders({str(run): str(own), str(tmp_path / "run" / "empty"): ""}) == {}
    (run / "a" / "x.txt").write_text("changed")
    assert (own / "a" / "x.txt").read_text() == "mine"


def test_each_run_has_what_the_template_had(tmp_path):
    template = tmp_path / "template"
    (template / "files" / "media").mkdir(parents=True)
    (template / "files" / "media" / "x.txt").write_text("seeded")
    (template / "empty").mkdir()
    for name in ("one", "two"):
        handed_on(template, tmp_path / name)
        place = tmp_path / name / "files" / "media" / "x.txt"
        assert place.read_text() == "seeded"
        place.write_text(name)
        assert not (tmp_path / name / "empty").exists()
    assert (template / "files" / "media" / "x.txt").read_text() == "seeded"


def test_too_much_is_not_copied_and_said(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 2**20)
    own, run = tmp_path / "media", tmp_path / "run"
    own.mkdir()
    (own / "large").write_bytes(bytes(2**20 + 1))
    said = make_folders({str(run): str(own)})
    assert said == {str(own): f"{own} is not copied: it holds more than 1 MB"}
    assert not list(run.iterdir())


def test_a_folder_that_holds_the_run_is_not_copied_into_itself(tmp_path):
    run = tmp_path / "run"
    (tmp_path / "x").write_text("mine")
    assert make_folders({str(run): str(tmp_path)}) == {}
    assert [path.name for path in run.iterdir()] == ["x"]


def test_a_full_disk_leaves_no_folder_out(tmp_path, monkeypatch):
    def full(*paths):
        raise OSError(errno.ENOSPC, "No space left on device")

    own = tmp_path / "media"
    own.mkdir()
    (own / "x").write_text("mine")
    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(OSError, match="No space left"):
        make_folders({str(tmp_path / "run"): str(own)})


def test_a_folder_that_cannot_be_looked_at_is_not_copied_and_said(tmp_path, monkeypatch):
    """One in a folder of somebody else's, say."""

    def closed(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_dir", closed)
    (said,) = make_folders({str(tmp_path / "run"): "/theirs/media"}).values()
    assert said.startswith("/theirs/media is not copied: [Errno 13]")


def test_a_storage_with_a_place_of_its_own_is_not_written_to(tmp_path, monkeypatch):
    """One that sets it in its `__init__`, out of reach of any setting."""
    folder, place = tmp_path / "run", tmp_path / "theirs"
    for where, refused in ((folder, False), (folder / "v1", False), (place, True)):
        monkeypatch.setattr(storage, "staticfiles_storage", SimpleNamespace(location=str(where)))
        if refused:
            with pytest.raises(DatabaseError, match=f"writes static files to {where}, whatever"):
                files._check_place(StaticFilesStorage, str(folder))
        else:
            files._check_place(StaticFilesStorage, str(folder))


@pytest.mark.parametrize("static", ["", "collect"])
def test_a_project_without_such_a_storage_has_nothing_to_collect(
    static, settings, monkeypatch, tmp_path
):
    monkeypatch.setattr(apps, "is_installed", lambda name: True)
    settings.STORAGES = {"default": settings.STORAGES["default"]}
    instructions = Instructions(
        settings_module="shop", token="t", folder=str(tmp_path), static=static
    )
    assert files.collected(instructions) == ""
    assert list(tmp_path.iterdir()) == []


def test_a_projects_own_collectstatic_is_not_run(tmp_path, monkeypatch, settings):
    """It may write to a bucket, whatever the settings say."""
    called = []
    monkeypatch.setattr(files, "call_command", lambda command, **options: called.append(command))
    monkeypatch.setattr(files, "_check_place", lambda storage, folder: None)
    monkeypatch.setattr(test, "override_settings", lambda **changed: SimpleNamespace(enable=int))
    files._collect(StaticFilesStorage, str(tmp_path))
    assert [type(one) for one in called] == [collectstatic.Command]


STORAGES = {
    "default": {"BACKEND": "a.Storage"},
    "staticfiles": {"BACKEND": "b.Storage", "OPTIONS": {"location": "/srv", "base_url": "/s/"}},
}


def changed(static_root, **settings):
    made = Changes(settings)
    instructions = Instructions(
        settings_module="shop", token="t", folder="/run", static_root=static_root
    )
    change_static(made, instructions)
    return made


def test_the_folder_of_what_was_collected_replaces_the_projects():
    assert changed("", STATIC_ROOT="/srv", STORAGES=STORAGES).values == {}
    for kind in (str, Path):
        made = changed("/run/static", STATIC_ROOT=kind("/srv"))
        assert made.values == {"STATIC_ROOT": kind("/run/static")}
        assert list(made.words) == ["STATIC_ROOT"]


class Own(FileSystemStorage):
    """A class of the project's."""


PATH = f"{__name__}.Own"


@pytest.mark.parametrize(("overrides", "kind"), [({}, EmailBackend), ({"A": {"b": PATH}}, Own)])
def test_a_mail_backend_that_any_setting_names_is_the_runs_unless_the_user_says_it(overrides, kind):
    assert mailer(PATH, overrides=overrides) is kind


class Elsewhere(Own):
    """One with a place of its own, out of reach of any setting."""

    def __init__(self):
        super().__init__(location="/theirs")


@pytest.mark.parametrize(
    ("kind", "options", "wanted"),
    [
        (Own, {}, "media"),
        (Own, {"location": "{media}/private"}, "media/private"),
        (Own, {"location": "/theirs"}, "place"),
        (Elsewhere, {}, "place"),
    ],
)
def test_it_is_with_the_uploads_where_it_was(kind, options, wanted, tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path / "media"
    given = {key: one.format(media=settings.MEDIA_ROOT) for key, one in options.items()}
    made = storage_of_the_run(
        original=f"{__name__}.{kind.__name__}", options=given, place=str(tmp_path / "place")
    )
    assert type(made) is kind
    assert made.location == str(tmp_path / wanted)
