"""A Python and its environment: this process's own is not started for being asked."""

import sys

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.pythons.interpreter import OWN, Interpreter


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


def test_an_installed_distribution_has_a_version_and_another_has_none():
    assert OWN.installed("Django") is not None
    assert OWN.installed("no-such-distribution") is None


def test_its_own_version_is_this_process_s():
    assert OWN.version == ".".join(str(part) for part in sys.version_info[:3])


def test_one_that_is_not_there_can_not_be_asked(monkeypatch):
    def run(*args: object, **kwargs: object) -> None:
        raise FileNotFoundError("no such file")

    monkeypatch.setattr("subprocess.run", run)
    with pytest.raises(UnavailableError, match="/no/python can't list its installed packages"):
        Interpreter("/no/python").installed("django")
