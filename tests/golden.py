"""Prose compared as a whole with a file of tests/golden; `make golden` renews what changed.

A golden file bears the name of its test: tests/golden/unit/test_x/test_says_so.txt. What differs
from run to run is replaced before it is compared: the test says what, and by what.
"""

import ast
import difflib
import json
import os
import pprint
import re
import shlex
import textwrap
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from benchsuite.core.exceptions import BenchsuiteError

TESTS = Path(__file__).parent
FOLDER = TESTS / "golden"
RENEW = "make golden ARGS='{}'"
INDENT = "    "
WIDTH = 96
IMPORT = re.compile(r"(from [\w.]+ )?import \w")
OF_NUMPY = re.compile(r"\bnp\.\w+\(([^()]*)\)")
LONG_FLOAT = re.compile(r"(?<![\w.])(\d+)\.\d{7,}(e[-+]?\d+)?")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew", action="store_true", help="write the files of tests/golden anew")


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("renew"):
        return
    if os.environ.get("CI"):
        raise pytest.UsageError("--renew accepts whatever is shown, so it is refused in CI.")
    if hasattr(config, "workerinput") or config.getoption("tx", None):
        raise pytest.UsageError("--renew writes files: run it in one process, without --tx or -n.")


class Golden:
    """Compares text, or anything else as JSON, with the golden file of one test."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._node = request.node
        self._renew = request.config.getoption("renew")
        self._seen: set[Path] = set()

    def __call__(self, shown: Any, part: str = "", replace: dict[str, str] | None = None) -> None:
        """`replace` maps regular expressions to stand-ins; `part` names a second file."""
        text = shown if isinstance(shown, str) else json.dumps(shown, indent=1, ensure_ascii=False)
        for pattern, stand_in in (replace or {}).items():
            text = re.sub(pattern, stand_in, text)
        text = "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"
        path = self._path(part)
        assert path not in self._seen, f"a second text for {path}: name it with `part`"
        self._seen.add(path)
        if self._renew:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        kept = path.read_text() if path.exists() else ""
        if text != kept:
            name = str(path.relative_to(TESTS.parent))
            difference = difflib.unified_diff(
                kept.splitlines(), text.splitlines(), name, "shown now", lineterm=""
            )
            renew = RENEW.format(self._node.nodeid.partition("[")[0])
            pytest.fail("\n".join([*difference, f"If this is meant: {renew}"]), pytrace=False)

    def words(self, function: Callable[..., Any], part: str = "", **given: Any) -> None:
        """As `cases`, of lines that are words of a command line."""
        self._cases(lambda line: function(*shlex.split(line)), part, **given)

    def values(self, shown=lambda value: value, part="", **given):
        """Python as in the body of a test; below each expression, indented, its value.

        It has the names of the test's module. A call may go on over several lines. `shown` makes
        of a value what is compared; a case may also end in one of `raises`.
        """
        names = dict(self._node.module.__dict__)

        def run(source):
            try:
                expression = compile(source, self._path(part).name, "eval")
            except SyntaxError:
                exec(compile(source, self._path(part).name, "exec"), names)
                return STATEMENT
            return shown(eval(expression, names))

        self._cases(run, part, whole=_whole, **given)

    def cases(self, function: Callable[..., Any], part: str = "", **given: Any) -> None:
        """Calls with the arguments in each line of the file; below it, indented, what comes back.

        They are Python, with the names of the test's module and of imports in the file itself.
        Cases are added there: a line with the arguments, then `make golden`.
        """
        names = {**self._node.module.__dict__, "_": function}
        for line in self._lines(part):
            if IMPORT.match(line):
                exec(line, names)
        self._cases(lambda line: eval(f"_({line})", names), part, **given)

    def _cases(self, run, part, *, whole=lambda case: True, refuses=None, raises=(), replace=None):
        """`refuses`: the error that each case ends in; its sentence is what comes back.

        `raises`: errors that a case may end in, beside those of benchsuite.
        """
        shown, ran = [], 0
        lines = iter(self._lines(part))
        for line in lines:
            if line.startswith("#") or not line or (IMPORT.match(line) and whole is not _whole):
                shown.append(line)
            elif not line.startswith(INDENT):
                case = line
                while not whole(case):
                    case += "\n" + next(lines)
                ran += 1
                said = _said(run, case, refuses, raises)
                shown += [case] if said is None else [case, textwrap.indent(said, INDENT)]
        assert ran, f"{self._path(part)} has no case"
        self("\n".join(shown), part, replace)

    def _path(self, part: str) -> Path:
        module = self._node.path.relative_to(TESTS).with_suffix("")
        name = ".".join([self._node.originalname, *([part] if part else [])])
        return FOLDER / module / f"{name}.txt"

    def _lines(self, part: str) -> list[str]:
        path = self._path(part)
        return path.read_text().splitlines() if path.exists() else []


STATEMENT = object()
"""What an import or an assignment gives."""


def _whole(source: str) -> bool:
    """Whether no bracket is left open."""
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def _said(run, case, refuses, raises):
    raises = raises if isinstance(raises, tuple) else (raises,)
    expected = (refuses,) if refuses else (BenchsuiteError, *raises)
    try:
        result = run(case)
    except expected as refusal:
        return str(refusal) if refuses else f"{type(refusal).__name__}: {refusal}"
    assert refuses is None, f"{case} is not refused"
    if result is STATEMENT:
        return None
    result = sorted(result) if isinstance(result, set) else result
    if isinstance(result, str) and result:
        return result.rstrip("\n")  # each renewal would add what ends it as a line of its own
    text = _Printer(width=WIDTH, sort_dicts=False).pformat(result)
    return LONG_FLOAT.sub(_rounded, OF_NUMPY.sub(r"\1", text))


class _Printer(pprint.PrettyPrinter):
    """Sets in order, however short."""

    def format(self, value: Any, *rest: Any) -> tuple[str, bool, bool]:
        if isinstance(value, set | frozenset) and value:
            text = ", ".join(sorted(map(repr, value)))
            return (f"{{{text}}}" if type(value) is set else f"frozenset({{{text}}})", True, False)
        return super().format(value, *rest)


def _rounded(number: re.Match[str]) -> str:
    """Seven digits: what a library adds up in another order differs behind these."""
    return f"{float(number[0]):.{max(7, len(number[1]) + 3)}g}"


@pytest.fixture
def golden(request):
    return Golden(request)


AGAIN = r"--again=[0-9a-f,]+"
UUID = r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"


def words_of(page: Any, which: str = "main") -> str:
    """What parts of a page say, charts left out: a line for each row and each piece of text."""
    said = [
        text
        for part in page.select(which)
        for text in part.find_all(string=True)
        if text.strip()
        and not any(parent.name in ("figure", "script", "svg") for parent in text.parents)
    ]
    rows = groupby(said, key=lambda text: id(text.find_parent("tr") or text))
    lines = (" | ".join(" ".join(text.split()) for text in row) for _, row in rows)
    return re.sub(AGAIN, "--again=<ids>", re.sub(UUID, "<id>", "\n".join(lines)))


def changes(before: str, after: str) -> str:
    """The lines that went and came."""
    compared = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return "\n".join(line for line in compared if not line.startswith(("---", "+++", "@@")))


def unused() -> Iterator[Path]:
    """Golden files whose test is gone, or whose part no string of its module names."""
    for path in sorted(path for path in FOLDER.rglob("*") if path.is_file()):
        name, _, part = path.name.removesuffix(".txt").partition(".")
        module = (TESTS / path.parent.relative_to(FOLDER)).with_suffix(".py")
        source = module.read_text() if module.exists() else ""
        function = re.search(rf"^def {name}\(.*?(?=^\S|\Z)(?!\))", source, re.M | re.S)
        body = source[function.start() :] if function else ""
        body = re.split(r"\n(?=def |@|class )", body)[0]
        if "golden" not in body or (part and f'"{part}"' not in source):
            yield path
