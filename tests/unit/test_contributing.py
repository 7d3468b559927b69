"""CONTRIBUTING.md names what is there, and the hooks run what `make lint` installs."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import benchsuite

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`?make ([a-z]+)\b", TEXT))))
def test_a_target_is_there(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`benchsuite/([\w/.]+)`", TEXT))))
def test_a_path_of_the_package_is_there(name):
    assert (Path(benchsuite.__file__).parent / name).exists()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\]\((\S+\.md)\)", TEXT))))
def test_a_page_is_there(name):
    assert (ROOT / name).exists()


def test_the_hooks_run_what_make_lint_installs():
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    (ours,) = yaml.safe_load(text)["repos"]
    assert ours["repo"] == "local", "no hook asks the network"
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["lint"]
    for hook in ours["hooks"]:
        program = Path(hook["entry"].split()[0])
        assert program.parent == Path(".venv/bin")
        assert program.name in lint
