"""Finding an interpreter: what a name means, where it is looked for, what is said when it is not
there.
"""

import sys
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.pythons import finding
from benchsuite.pythons.finding import CPYTHON, PYPY, Kind, find, how_to_get

THIS = Kind(CPYTHON, (3, 11, 2))


@pytest.fixture(autouse=True)
def machine(monkeypatch, tmp_path):
    """A machine with this Python, two of pyenv's, one of uv's and one on the PATH, and a shim."""
    kinds: dict[str, Kind | None] = {sys.executable: THIS}
    root = tmp_path / "pyenv"
    for name, kind in {
        "3.13.0": Kind(CPYTHON, (3, 13, 0)),
        "3.13.2": Kind(CPYTHON, (3, 13, 2)),
        "pypy3.11-7.3.19": Kind(PYPY, (3, 11, 11)),
        "3.14.0t": Kind(CPYTHON, (3, 14, 0), free_threaded=True),
    }.items():
        kinds[program(root / "versions" / name / "bin" / "python")] = kind
    uv = tmp_path / "uv/cpython-3.12.1-linux/bin/python"
    kinds[program(uv)] = Kind(CPYTHON, (3, 12, 1))
    shims = tmp_path / "shims"
    bin_ = tmp_path / "bin"
    kinds[program(shims / "python3.10")] = None
    kinds[program(bin_ / "python3.10")] = Kind(CPYTHON, (3, 10, 4))
    monkeypatch.setenv("PYENV_ROOT", str(root))
    monkeypatch.setenv("UV_PYTHON_INSTALL_DIR", str(tmp_path / "uv"))
    monkeypatch.setenv("PATH", f"{shims}:{bin_}")
    monkeypatch.setattr(finding, "kind_of", kinds.get)
    finding._named.cache_clear()
    yield tmp_path
    finding._named.cache_clear()


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("name", ["3.11", "3", "3.11.2", "python3.11", "cpython-3.11"])
def test_this_python_is_taken_when_it_is_what_was_asked_for(name):
    assert find(name) == Path(sys.executable)


def test_the_newest_of_pyenv_that_fits_is_taken(machine):
    assert find("3.13") == machine / "pyenv/versions/3.13.2/bin/python"
    assert find("3.13.0") == machine / "pyenv/versions/3.13.0/bin/python"


def test_pypy_and_free_threaded_builds_are_others(machine):
    assert find("pypy3.11") == machine / "pyenv/versions/pypy3.11-7.3.19/bin/python"
    assert find("pypy") == machine / "pyenv/versions/pypy3.11-7.3.19/bin/python"
    assert find("3.14t") == machine / "pyenv/versions/3.14.0t/bin/python"
    with pytest.raises(UnavailableError):
        find("3.14")


def test_a_shim_that_answers_nothing_is_passed_over(machine):
    assert find("3.10") == machine / "bin/python3.10"


def test_what_uv_has_is_taken(machine):
    assert find("3.12") == machine / "uv/cpython-3.12.1-linux/bin/python"


def test_one_that_is_not_there_is_refused_with_those_that_are_and_how_to_get_it():
    with pytest.raises(
        UnavailableError,
        match=(
            r"^--python=3\.9 is not on this machine \(found: 3\.10\.4, 3\.11\.2, 3\.12\.1, "
            r"3\.13\.0, 3\.13\.2, 3\.14\.0t, pypy3\.11\.11\); install it with: "
            r"uv python install 3\.9, or pyenv install 3\.9\.$"
        ),
    ):
        find("3.9")


@pytest.mark.parametrize("name", ["", "py", "3.x", "jython2.7", "3.1.2.3", "-3"])
def test_a_name_that_means_nothing_is_refused(name):
    with pytest.raises(UsageError, match="neither a path nor a version such as 3"):
        find(name)


def test_a_path_is_an_interpreter_or_an_environment(machine):
    path = machine / "pyenv/versions/3.13.0/bin/python"
    assert find(str(path)) == path
    assert find(str(path.parent.parent)) == path


def test_a_path_without_a_python_is_refused(machine):
    with pytest.raises(UnavailableError, match=r"/nowhere: there is no file at that path"):
        find(str(machine / "nowhere"))
    with pytest.raises(UnavailableError, match=r"/python3.10: there is no Python at that path"):
        find(str(machine / "shims/python3.10"))


def test_what_installs_a_python_depends_on_which():
    assert how_to_get(Kind(CPYTHON, (2, 7))) == "pyenv install 2.7"
    assert how_to_get(Kind(PYPY, (3, 11))) == "uv python install pypy3.11"
