"""No module imports itself by way of others, not even for types or in a function.

The layers of `[tool.importlinter]` hold this between rooms; here it is held inside of them, too.
"""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import benchsuite

ROOT = Path(benchsuite.__file__).parent

KNOWN = {"benchsuite.runner.evidence": "benchsuite.runner.record"}
"""The one import of each circle that is still to be closed."""


def modules(root: Path) -> dict[str, Path]:
    """Every module of a package by its dotted name; targets of heritage servers are none."""
    found = {}
    for path in root.rglob("*.py"):
        names = [root.name, *path.relative_to(root).with_suffix("").parts]
        if all(map(str.isidentifier, names)) and "targets" not in names:
            found[".".join(names).removesuffix(".__init__")] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules, of those known, that a module imports anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.module, f"{path}:{node.lineno}: a relative import"
            whole = [f"{node.module}.{one.name}" for one in node.names]
            names = [name if name in known else node.module for name in whole]
        else:
            continue
        yield from known.keys() & names


def graph(root: Path) -> dict[str, set[str]]:
    known = modules(root)
    return {name: {*imports(path, known)} - {name} for name, path in known.items()}


def test_no_circle_of_modules() -> None:
    found = graph(ROOT)
    assert len(found) > 400
    for one, other in KNOWN.items():
        found[one].remove(other)  # a KeyError: the circle is closed, so strike it off the list
    try:
        TopologicalSorter(found).prepare()
    except CycleError as circle:
        pytest.fail(" → ".join(reversed(circle.args[1])))


@pytest.mark.parametrize(
    "back",
    [
        "from room.one import A",
        "import room.one",
        "from room import one",
        "if TYPE_CHECKING:\n    from room.one import A",
        "def late() -> None:\n    from room.one import A",
    ],
)
def test_a_circle_is_found(back: str, tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    (room / "__init__.py").touch()
    (room / "one.py").write_text("import os\nfrom room import two\n")
    (room / "two.py").write_text("")
    TopologicalSorter(graph(room)).prepare()
    (room / "two.py").write_text(back)
    with pytest.raises(CycleError):
        TopologicalSorter(graph(room)).prepare()
