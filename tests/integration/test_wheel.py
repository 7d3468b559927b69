"""The wheel is exactly the package, with everything it reads at run time."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import benchsuite

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = Path(benchsuite.__file__).resolve().parent


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of all files in the wheel, built from a copy that knows no earlier build."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(PACKAGE, source / "benchsuite", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tests", source / "tests")
    shutil.copytree(ROOT / "testproject", source / "testproject")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"),
            *("--no-build-isolation", "--wheel-dir", str(folder), str(source)),
        ],
        env={**os.environ, "PYTHONWARNINGS": "", "PYTHONDEVMODE": ""},
        check=True,
        timeout=120,
    )
    (wheel,) = folder.glob("django_benchsuite-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_there_is_nothing_in_it_but_the_package(contents: set[str]) -> None:
    assert {name.partition("/")[0].partition("-")[0] for name in contents} == {
        "benchsuite",
        "django_benchsuite",
    }


def test_every_file_of_the_package_is_in_it(contents: set[str]) -> None:
    """Templates, static files, templates of server configuration and py.typed as well as code."""
    wanted = {
        f"benchsuite/{path.relative_to(PACKAGE)}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted <= contents


@pytest.mark.parametrize(
    "name",
    [
        "benchsuite/py.typed",
        "benchsuite/migrations/0001_initial.py",
        "benchsuite/target/migrations/0001_initial.py",
        "benchsuite/templates/benchsuite/base.html",
        "benchsuite/load/process/worker.py",
        "benchsuite/management/commands/runbench.py",
    ],
)
def test_what_only_runs_later_is_in_it(contents: set[str], name: str) -> None:
    assert name in contents


def test_there_are_static_files_in_it(contents: set[str]) -> None:
    assert {name for name in contents if name.startswith("benchsuite/static/benchsuite/")}
