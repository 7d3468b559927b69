"""What plug-ins may import is there, and the documentation's own code imports nothing else."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / "docs/extending.md").read_text().partition("## What you may import")[2]
PUBLIC = {
    module: re.findall(r"`(\w+)`", names)
    for module, names in re.findall(r"^\| `(benchsuite[\w.]+)` \| (.+) \|$", TABLE, re.MULTILINE)
}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def imports(text):
    for line in re.findall(r"^ *(from benchsuite[\w.]* import .+)$", text, re.MULTILINE):
        (node,) = ast.parse(line.strip()).body
        yield from ((str(node.module), alias.name) for alias in node.names)


@pytest.mark.parametrize("module", PUBLIC)
def test_each_public_name_is_there(module):
    there = vars(import_module(module))
    assert [name for name in PUBLIC[module] if name not in there] == []


def test_code_in_the_docs_imports_public_names_alone():
    used = {pair for page in PAGES for pair in imports(page.read_text())}
    assert len(used) > 5
    assert sorted(pair for pair in used if pair[1] not in PUBLIC.get(pair[0], ())) == []
