"""Small projects of a test's own, measured by a session as it is used by `runbench`."""

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def written(
    folder: Path, name: str, sources: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """The package of that name, importable here and by what a run starts, and forgotten afterwards;
    `sources` are its modules.
    """
    package = folder / name
    package.mkdir()
    (package / "__init__.py").touch()
    for module, source in sources.items():
        (package / f"{module}.py").write_text(source)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    importlib.invalidate_caches()
    try:
        yield package
    finally:
        for known in [known for known in sys.modules if known.split(".")[0] == name]:
            del sys.modules[known]
