"""The package that is tested is the one that was meant, and it says what it is."""

import os
import sysconfig
import tomllib
from importlib import metadata
from pathlib import Path

import benchsuite

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_tests_run_against_the_package_that_was_meant():
    """tox sets BENCHSUITE_FROM_WHEEL; everything else runs the checkout."""
    found = Path(benchsuite.__file__).resolve().parent
    if os.environ.get("BENCHSUITE_FROM_WHEEL"):
        assert found == Path(sysconfig.get_path("purelib")).resolve() / "benchsuite"
    else:
        assert found == ROOT / "benchsuite"


def test_the_version_stands_in_one_place():
    assert metadata.version("django-benchsuite") == benchsuite.__version__
    assert "version" not in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_metadata_names_what_is_supported():
    about = metadata.metadata("django-benchsuite")
    assert about["Requires-Python"] == ">=3.11"
    assert about["License-Expression"] == "BSD-3-Clause"
    assert {"channels", "postgres", "robot", "browser", "servers", "all"} <= set(
        about.get_all("Provides-Extra") or []
    )
