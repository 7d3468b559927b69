"""CONTRIBUTING.md names what is there, and the hooks run what `make lint` installs."""

import re
import tomllib
from pathlib import Path

import yaml

import benchsuite

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_targets_paths_of_the_package_and_pages_are_there():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`?make ([a-z]+)\b", TEXT):
        assert re.search(rf"^{target}:", makefile, re.M), target
    for name in re.findall(r"`benchsuite/([\w/.]+)`", TEXT):
        assert (Path(benchsuite.__file__).parent / name).exists(), name
    for page in re.findall(r"\]\((\S+\.md)\)", TEXT):
        assert (ROOT / page).exists(), page


def test_the_hooks_run_what_make_lint_installs():
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    (ours,) = yaml.safe_load(text)["repos"]
    assert ours["repo"] == "local", "no hook asks the network"
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["lint"]
    for hook in ours["hooks"]:
        program = Path(hook["entry"].split()[0])
        assert program.parent == Path(".venv/bin")
        assert program.name in lint
