"""The size and shape of the source; the figures in docs/architecture.md.

python -m benchmarks.house [--at REVISION]
"""

import argparse
import ast
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import benchsuite

CHECKOUT = Path(__file__).resolve().parents[1]
ROOT = Path(benchsuite.__file__).parent
SMALL = 60  #: A file of fewer lines needs a reason.
VAGUE = frozenset({"one", "found", "told", "said", "book", "others"})

Graph = Mapping[str, set[str]]


def modules(root: Path) -> dict[str, Path]:
    """Every module of a package by its dotted name; targets of heritage servers are none."""
    paths = {}
    for path in sorted(root.rglob("*.py")):
        names = [root.name, *path.relative_to(root).with_suffix("").parts]
        if "." not in path.stem and "targets" not in names[:-1]:
            paths[".".join(names).removesuffix(".__init__")] = path
    return paths


def imports(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """The modules, of those known, that a module imports: also in functions, and only for types."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.module, f"{path}:{node.lineno}: a relative import"
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else node.module for name in whole]
        else:
            continue
        yield from known.keys() & names


def graph(root: Path) -> Graph:
    """The modules that each module imports."""
    known = modules(root)
    return {name: {*imports(path, known)} - {name} for name, path in known.items()}


def rooms(imported: Graph) -> Graph:
    """The rooms (packages and modules of the top level) that each room imports."""
    merged: dict[str, set[str]] = {}
    for module, targets in imported.items():
        merged.setdefault(room(module), set()).update(map(room, targets))
    return {name: targets - {name, ""} for name, targets in merged.items() if name}


def room(name: str) -> str:
    """Empty for the package itself."""
    return name.partition(".")[2].partition(".")[0]


def circles(imported: Graph) -> int:
    """How many arrows must go until none is part of a circle."""
    remaining = {name: set(targets) for name, targets in imported.items()}
    count = 0
    while True:
        try:
            TopologicalSorter(remaining).prepare()
        except CycleError as error:
            imported_room, importing = error.args[1][:2]
            remaining[importing].discard(imported_room)
            count += 1
        else:
            return count


def upwards(between: Graph, checkout: Path) -> int:
    """How many arrows between rooms don't lead to a lower layer of `[tool.importlinter]`."""
    settings = tomllib.loads((checkout / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(one for one in settings["contracts"] if one["id"] == "layers")["layers"]
    floors = {name.strip(): at for at, names in enumerate(layers) for name in names.split("|")}
    return sum(
        floors[target] <= floors[name] for name, targets in between.items() for target in targets
    )


def vague_names(text: str) -> int:
    """How often such a name is bound, but for comprehensions."""
    tree = ast.parse(text)
    comprehended = {
        id(name)
        for node in ast.walk(tree)
        if isinstance(node, ast.comprehension)
        for name in ast.walk(node.target)
    }
    return sum(
        (isinstance(node, ast.arg) and node.arg in VAGUE)
        or (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and node.id in VAGUE
            and id(node) not in comprehended
        )
        for node in ast.walk(tree)
    )


def figures(checkout: Path) -> dict[str, int]:
    lengths, tests = (
        [len(path.read_text().splitlines()) for path in (checkout / name).rglob("*.py")]
        for name in ("benchsuite", "tests")
    )
    between = rooms(graph(checkout / "benchsuite"))
    texts = [path.read_text() for path in modules(checkout / "benchsuite").values()]
    return {
        "files of benchsuite/": len(lengths),
        "lines": sum(lengths),
        "lines of a file, median": round(median(filter(None, lengths))),
        f"files under {SMALL} lines": sum(0 < length < SMALL for length in lengths),
        "rooms": len(between),
        "arrows between rooms": sum(map(len, between.values())),
        "circles of rooms": circles(between),
        "arrows upwards": upwards(between, checkout),
        "vague names": sum(map(vague_names, texts)),
        "files of tests/": len(tests),
        "lines of tests/": sum(tests),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--at", metavar="REVISION", help="of git, instead of the files as they are")
    revision = parser.parse_args().at
    with TemporaryDirectory() as folder:
        if revision:
            asked = ["git", "archive", revision, "benchsuite", "tests", "pyproject.toml"]
            packed = subprocess.run(asked, cwd=CHECKOUT, check=True, stdout=subprocess.PIPE).stdout
            subprocess.run(["tar", "--extract", "--directory", folder], input=packed, check=True)
        for name, figure in figures(Path(folder) if revision else CHECKOUT).items():
            print(f"{name:<32}{figure:>8}")


if __name__ == "__main__":
    main()
