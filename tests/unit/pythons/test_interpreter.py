"""A Python and its environment: this process's own is not started for being asked."""

import os
import sys
import sysconfig
from pathlib import Path

import pytest

import benchsuite
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.pythons.interpreter import (
    OWN,
    Interpreter,
    import_path,
    project_folders,
    whole_path,
)


def test_a_script_is_taken_from_this_environment_else_by_its_bare_name(monkeypatch, tmp_path):
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(
        "benchsuite.pythons.interpreter._told", lambda executable: {"scripts": tmp_path}
    )
    assert OWN.script("serve") == "serve"
    script = tmp_path / "serve"
    script.write_text("")
    script.chmod(0o755)
    assert OWN.script("serve") == str(script)


def test_this_process_s_has_its_version_and_its_distributions():
    assert OWN.version == ".".join(str(part) for part in sys.version_info[:3])
    assert OWN.installed("Django") is not None
    assert OWN.installed("no-such-distribution") is None


def test_one_that_is_not_there_can_not_be_asked(monkeypatch):
    def run(*args, **kwargs):
        raise FileNotFoundError("no such file")

    monkeypatch.setattr("subprocess.run", run)
    with pytest.raises(UnavailableError, match="/no/python can't list its installed packages"):
        Interpreter("/no/python").installed("django")


def test_the_projects_modules_are_found_and_the_interpreters_are_left_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    installed = sysconfig.get_path("purelib")
    monkeypatch.setattr(sys, "path", ["", "/nowhere", *sys.path, f"{installed}/django"])
    folders = project_folders()
    assert folders[0] == os.path.realpath(tmp_path)
    assert "/nowhere" not in folders
    assert not [folder for folder in folders if folder.startswith(installed)]


@pytest.mark.parametrize(("version", "linked"), [("2.0", []), (None, ["dj_database_url"])])
def test_another_one_gets_benchsuite_by_a_link_and_none_of_our_packages(
    tmp_path, monkeypatch, version, linked
):
    """Debian's dist-packages are not where sysconfig says, and neither are a user's. What reads the
    URL of a database is linked where that Python has none: servers need it.
    """
    project, user = tmp_path / "shop", tmp_path / "lib/python3/dist-packages"
    for folder in (project, user):
        folder.mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(project), str(user), *sys.path])
    run = tmp_path / "run"
    assert import_path(OWN, run) == os.pathsep.join(project_folders())
    assert not run.exists(), "our own has benchsuite"
    monkeypatch.setattr(Interpreter, "installed", lambda self, name: version)
    other = Interpreter("/pythons/3.13/bin/python", "3.13")
    path = import_path(other, run).split(os.pathsep)
    assert path == import_path(other, run).split(os.pathsep)
    assert path[:2] == [str(run / "import"), str(project)]
    assert str(user) not in path
    assert sorted(one.name for one in (run / "import").iterdir()) == ["benchsuite", *linked]
    assert (run / "import/benchsuite").resolve() == Path(benchsuite.__file__).parent.resolve()


def test_a_child_of_ours_finds_what_it_is_told_and_then_what_we_find(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", "/lib", "/shop"])
    assert whole_path({}).split(os.pathsep) == [os.getcwd(), "/lib", "/shop"]
    said = {"PYTHONPATH": f"/shop{os.pathsep}"}
    assert whole_path(said).split(os.pathsep) == ["/shop", os.getcwd(), "/lib"]


def test_a_folder_that_pythonpath_can_not_name_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(Interpreter, "installed", lambda self, name: "2.0")
    other = Interpreter("/pythons/3.13/bin/python", "3.13")
    with pytest.raises(UsageError, match="separates folders in PYTHONPATH; set TMPDIR to"):
        import_path(other, tmp_path / "12:30")
