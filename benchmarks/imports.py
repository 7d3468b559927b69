"""What imports what in benchsuite, read from its source; the figures in docs/architecture.md.

python -m benchmarks.imports
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median, quantiles

import benchsuite

ROOT = Path(benchsuite.__file__).parent

Graph = Mapping[str, set[str]]

LOOK_UP = re.compile(r"\bconf\.\w+_class\(")


def modules(root: Path) -> dict[str, Path]:
    """Every module of a package by its dotted name; targets of heritage servers are none."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        names = [root.name, *path.relative_to(root).with_suffix("").parts]
        if "." not in path.stem and "targets" not in names[:-1]:
            found[".".join(names).removesuffix(".__init__")] = path
    return found


def imports(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """The modules, of those known, that a module imports: also in functions, and only for types."""
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


def graph(root: Path) -> Graph:
    """The modules that each module imports."""
    known = modules(root)
    return {name: {*imports(path, known)} - {name} for name, path in known.items()}


def rooms(found: Graph) -> Graph:
    """The rooms (packages and modules of the top level) that each room imports."""
    merged: dict[str, set[str]] = {}
    for one, others in found.items():
        merged.setdefault(room(one), set()).update(map(room, others))
    return {one: others - {one, ""} for one, others in merged.items() if one}


def room(name: str) -> str:
    """Empty for the package itself."""
    return name.partition(".")[2].partition(".")[0]


def main() -> None:
    found, paths = graph(ROOT), modules(ROOT)
    between = rooms(found)
    texts = [path.read_text() for path in paths.values()]
    lengths = [len(text.splitlines()) for text in texts if text]
    loose = [one for one in between if (ROOT / f"{one}.py").exists()]
    figures = {
        "modules": len(paths),
        "lines": sum(lengths),
        "lines of a module, median": round(median(lengths)),
        "lines of a module, 90th percentile": round(quantiles(lengths, n=10)[-1]),
        "rooms": len(between),
        "of these loose modules": len(loose),
        "rooms that a room imports, in all": sum(map(len, between.values())),
        "look-ups of a class by name (conf.*_class)": sum(len(LOOK_UP.findall(t)) for t in texts),
    }
    for name, figure in figures.items():
        print(f"{name:<46}{figure:>8}")


if __name__ == "__main__":
    main()
