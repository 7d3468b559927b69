"""Reads the samples of deploy/: what they measure with, and the command lines in them."""

import configparser
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from benchsuite.core.specs import RunSpec
from benchsuite.management.options import run as run_options

DEPLOY = Path(__file__).parent.parent / "deploy"
MEASURED = re.compile(r"Measured by: (?:python manage\.py )?runbench (.*)")

UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
SOCKETS = sorted((DEPLOY / "systemd").glob("*.socket"))


def measured_by(path: Path) -> list[str]:
    """The options of each `runbench` that the file says measures the same."""
    return MEASURED.findall(path.read_text())


def spec(options: str) -> RunSpec:
    """What `runbench` makes of them."""
    (found,) = run_options.of_words(*shlex.split(options))
    return found


def sections(path: Path) -> dict[str, dict[str, str]]:
    """A unit's or supervisord's sections; a line that ends with a backslash goes on."""
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str
    parser.read_string(re.sub(r"\\\n\s*", " ", path.read_text()))
    return {name: dict(parser[name]) for name in parser.sections()}


def exec_start(path: Path) -> list[str]:
    """The command line of a unit."""
    return shlex.split(sections(path)["Service"]["ExecStart"])


def supervised(name: str) -> list[str]:
    """The command line of a program of supervisord."""
    found = sections(DEPLOY / "supervisor" / "supervisord.conf")[name]["command"]
    return shlex.split(found)


def image_command(path: Path) -> list[str]:
    """CMD of a Dockerfile, which is JSON."""
    text = path.read_text().replace("\\\n", "")
    return json.loads(text.rpartition("\nCMD ")[2])


def document(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text())


def command_lines() -> Iterator[tuple[str, Path, list[str]]]:
    """All command lines of servers in the samples: a name for the test, the file, the words."""
    for path in UNITS:
        yield path.name, path, exec_start(path)
    supervisor = DEPLOY / "supervisor" / "supervisord.conf"
    for name in ("program:gunicorn", "fcgi-program:daphne"):
        yield f"supervisord-{name.partition(':')[2]}", supervisor, supervised(name)
    yield "Dockerfile", DEPLOY / "Dockerfile", image_command(DEPLOY / "Dockerfile")
