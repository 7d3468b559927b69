"""All built-in fronts: what their configuration says, what they refuse, and that the docs name it.

Whether the programs take it is seen in tests/integration/test_fronts.py.
"""

import difflib
import re
import resource
from importlib import import_module
from pathlib import Path

import pytest

from benchsuite.fronts import BUILTIN
from benchsuite.fronts.base import FrontAdapter, FrontPlace
from benchsuite.fronts.program import ProgramFront

DOCS = Path(__file__).parents[3] / "docs"
FOLDER = Path("/run/of/a front")
UPSTREAMS = [("127.0.0.1", 23010), ("127.0.0.1", 23011)]


def front_class(name):
    module, _, attribute = BUILTIN[name].rpartition(".")
    return getattr(import_module(module), attribute)


PROGRAMS = {name: one for name in BUILTIN if issubclass(one := front_class(name), ProgramFront)}


def make(name, /, **options):
    place = FrontPlace(folder=FOLDER, token="t0ken")
    return PROGRAMS[name](options, place)


def configuration(adapter):
    """Its lines without indentation, comments and blank ones."""
    (content,) = adapter.config_files("127.0.0.1", 8123, UPSTREAMS).values()
    lines = (line.strip() for line in content.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("name", PROGRAMS)
def test_runs_and_checks_what_is_in_its_folder(name):
    adapter = make(name)
    assert list(adapter.config_files("127.0.0.1", 1, UPSTREAMS)) == [adapter.template]
    assert str(FOLDER / adapter.template) in adapter.argv()
    assert str(FOLDER / adapter.template) in adapter.check_argv()


def test_what_it_is_told(golden, monkeypatch):
    """nginx also writes in its folder only: other files are below /var or /run."""
    monkeypatch.setattr(resource, "getrlimit", lambda which: (64, resource.RLIM_INFINITY))

    def told(name, /, **options):
        """The whole without options, else what these change."""
        plain, changed = configuration(make(name)), configuration(make(name, **options))
        difference = difflib.unified_diff(plain, changed, n=0, lineterm="")
        lines = [line for line in difference if not line.startswith(("---", "+++", "@@"))]
        assert "@{" not in "\n".join(changed)
        return "\n".join(lines if options else plain)

    golden.cases(told)


def test_the_front_in_the_docs_is_one():
    (code,) = re.findall(
        r"```python\n# shop/fronts\.py\n(.*?)```", (DOCS / "extending.md").read_text(), re.DOTALL
    )
    names: dict[str, type[FrontAdapter]] = {}
    exec(code, names)
    said = configuration(names["ShopNginx"]({}))
    assert "worker_processes 2;" in said
    assert "'' 'close';" in said


def test_docs_show_every_front():
    table = (DOCS / "fronts.md").read_text().partition("| front |")[2].partition("\n\n")[0]
    rows = {row.split("`")[1]: row for row in table.splitlines() if row.startswith("| `")}
    assert list(rows) == list(BUILTIN)
    for name, row in rows.items():
        one = front_class(name)
        if issubclass(one, ProgramFront):
            least = ".".join(map(str, one.least_version))
            assert f" {least} | `apt install {one.package}` |" in row
        for option in ("processes", "threads"):
            assert (f"`{option}" in row) == (option in one.options)


def shown_as(default):
    if isinstance(default, bool):
        return "yes" if default else "no"
    return str(default) or "—"


def test_values(golden):
    golden.values()
