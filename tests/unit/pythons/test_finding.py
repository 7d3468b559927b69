"""Finding an interpreter: what a name means, where it is looked for, what is said when it is not
there.
"""

import os
import sys

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.pythons import interpreter as finding
from benchsuite.pythons.interpreter import CPYTHON, PYPY, Kind, find

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


def program(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    path.chmod(0o755)
    return str(path)


def test_values(golden):
    golden.values()


def test_what_is_found(golden, machine, monkeypatch):
    def case(name):
        return str(find(name.replace("HERE", str(machine))))

    golden.cases(case, replace={str(machine): "HERE", sys.executable: "<this Python>"})


def test_a_folder_of_the_path_that_is_closed_is_passed_over(machine, monkeypatch):
    """As some of Windows are in its subsystem for Linux."""
    closed, listed = machine / "closed", os.listdir
    closed.mkdir()

    def listdir(folder):
        if folder == str(closed):
            raise PermissionError(13, "Permission denied")
        return listed(folder)

    monkeypatch.setattr(os, "listdir", listdir)
    monkeypatch.setenv("PATH", f"{closed}:{machine / 'bin'}")
    assert find("3.10") == machine / "bin/python3.10"


@pytest.mark.parametrize("path", ["~nobody-of-that-name/bin/python", f"/{'x' * 300}"])
def test_a_path_that_can_be_nowhere_is_told(path):
    with pytest.raises(UnavailableError, match="there is no file at that path"):
        find(path)


def test_an_environment_beside_us_needs_no_slash(machine, monkeypatch):
    monkeypatch.chdir(machine)
    (machine / "pyenv/versions/3.13.0").rename(machine / "mine")
    monkeypatch.setattr(finding, "kind_of", lambda path: THIS)
    assert find("mine") == machine / "mine/bin/python"
