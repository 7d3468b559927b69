"""docs/workloads.md names every workload, option and default; and the names are right."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from benchsuite.workloads import BUILTIN
from benchsuite.workloads.base import Workload

DOCS = Path(__file__).parent.parent.parent.parent / "docs" / "workloads.md"


def loaded(dotted: str) -> type[Workload]:
    module, _, name = dotted.rpartition(".")
    found: type[Workload] = getattr(import_module(module), name)
    return found


@pytest.mark.parametrize("name", BUILTIN)
def test_each_workload_is_found_by_its_name(name: str) -> None:
    assert loaded(BUILTIN[name]).name == name
    assert loaded(BUILTIN[name]).summary


@pytest.mark.parametrize("name", BUILTIN)
def test_each_workload_has_a_section_with_its_options(name: str) -> None:
    sections = dict(re.findall(r"^## (\S+)[^\n]*\n(.*?)(?=^## |\Z)", DOCS.read_text(), re.M | re.S))
    section = sections[name.removesuffix("_async")]
    assert f"`{name}`" in section
    for option, default in loaded(BUILTIN[name]).options.items():
        assert re.search(rf"^\| `{option}` \| `{default}` \|", section, re.M), option


def test_no_option_is_documented_that_does_not_exist() -> None:
    options = set(re.findall(r"^\| `([a-z_]+)` \| `[^|]*` \|", DOCS.read_text(), re.M))
    assert options == {option for dotted in BUILTIN.values() for option in loaded(dotted).options}
