"""Finding an interpreter: what a name means, where it is looked for, what is said when it is not
there.
"""

import sys
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.pythons import finding
from benchsuite.pythons.finding import CPYTHON, PYPY, Kind, find

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


def test_a_path_is_an_interpreter_or_an_environment(machine):
    path = machine / "pyenv/versions/3.13.0/bin/python"
    assert find(str(path)) == path
    assert find(str(path.parent.parent)) == path


def test_a_path_without_a_python_is_refused(machine):
    with pytest.raises(UnavailableError, match=r"/nowhere: there is no file at that path"):
        find(str(machine / "nowhere"))
    with pytest.raises(UnavailableError, match=r"/python3.10: there is no Python at that path"):
        find(str(machine / "shims/python3.10"))


def test_values(golden):
    golden.values()
