"""What CONTRIBUTING.md says of a newcomer's change is all that there is to it."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.integration.command import ROOT

pytestmark = pytest.mark.audit

ADAPTER = '''\
"""Newcomer; see newcomer.example."""

from benchsuite.servers.base import BACKLOG, ServerAdapter


class Newcomer(ServerAdapter):
    """Processes that each answer one request at a time."""

    name = "newcomer"
    interface = "wsgi"
    distribution = "newcomer"
    one_at_a_time = True
    options = {"backlog": BACKLOG}

    def argv(self, host: str, port: int) -> list[str]:
        where = ["--bind", f"{host}:{port}", "--backlog", str(self.settings["backlog"])]
        program = [*self.python.module("newcomer"), self.application.wsgi]
        return [*program, "--workers", str(self.processes), *where]
'''
LINE = '    **_paths("newcomer", "newcomer"),\n'
THREADS = "— (one request at a time)"
FACTS = f"| `newcomer` | WSGI | any number | {THREADS} | yes | dropped | — | processes |\n"
SIZES = "| `newcomer` | a worker | one request at a time | `pip install newcomer` |\n"


def inserted(path, before, text):
    """Writes a text before the only place where another one stands."""
    content = path.read_text()
    assert content.count(before) == 1
    path.write_text(content.replace(before, text + before))


def test_a_server_is_its_file_its_line_and_its_rows_in_the_docs(tmp_path):
    for name in ("benchsuite", "docs", "tests", "testproject", "deploy"):
        ignored = shutil.ignore_patterns("__pycache__", "integration")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored, symlinks=True)
    for name in ("CONTRIBUTING.md", "pyproject.toml", "manage.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "benchsuite/servers/newcomer.py").write_text(ADAPTER)
    inserted(
        tmp_path / "benchsuite/servers/__init__.py", '    **_paths("daphne", "runserver")', LINE
    )
    docs = tmp_path / "docs/servers.md"
    inserted(docs, "| `runserver` | WSGI ", FACTS)
    inserted(docs, "| `runserver` | one |", SIZES)
    rows = docs.read_text().splitlines(keepends=True)
    (backlog,) = (number for number, row in enumerate(rows) if row.startswith("| `backlog` |"))
    rows[backlog] = rows[backlog].replace(" |\n", " `newcomer` |\n")
    docs.write_text("".join(rows))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/unit/servers", "tests/unit/report/charts"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
