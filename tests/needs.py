"""What a test needs of the machine: it is skipped by name, with the command that would provide it.

    @needs("chromium")
    def test_list_page_draws_its_charts(): ...

With BENCHSUITE_REQUIRE=all nothing may be skipped (`tests/strictness.py`) but for a rare need: what
no package of a fresh Debian provides. With BENCHSUITE_REQUIRE=everything not even that.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.pythons.interpreter import OWN, find
from benchsuite.servers.peers import adapters
from benchsuite.servers.peers.adapters import ActionCable
from benchsuite.services.cassandra import jars
from benchsuite.system import programs


@dataclass(frozen=True, slots=True)
class Need:
    found: Callable[[], bool]
    command: str
    rare: bool = False
    """Whether a fresh Debian, with packages of Debian and of PyPI, can't have it."""


def _program(*names: str) -> Callable[[], bool]:
    return lambda: any(shutil.which(name) for name in names)


def _system(name: str) -> Callable[[], bool]:
    """A program of the system, which an ordinary user's path may not lead to."""
    return lambda: programs.find_program(name) is not None


def _compose() -> bool:
    """Docker Compose, as a program of its own or as a part of docker."""
    return bool(shutil.which("docker-compose")) or _succeeds("docker", "compose", "version")


def _beside(name: str) -> Callable[[], bool]:
    """A program beside the Python that runs the tests, or on the path."""
    return lambda: shutil.which(OWN.script(name)) is not None


def _module(name: str) -> Callable[[], bool]:
    return lambda: find_spec(name) is not None


def _postgresql() -> bool:
    """The programs of PostgreSQL: on the path, or where Debian puts them."""
    debian = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return bool(shutil.which("initdb") or any(debian))


def _succeeds(*words: str) -> bool:
    if shutil.which(words[0]) is None:
        return False
    return subprocess.run(words, capture_output=True, check=False, timeout=20).returncode == 0


def _as_root(command: str) -> Callable[[], bool]:
    """Whether we are root, who may do this."""
    return lambda: os.geteuid() == 0 and _succeeds(*command.split())


def _python(*versions: str) -> Callable[[], bool]:
    """Any of these Pythons, other than the one that runs the tests."""
    return lambda: other_python(*versions) is not None


def other_python(*versions: str) -> str | None:
    """The first of these Pythons that is here and is not the one that runs the tests."""
    own = ".".join(str(part) for part in sys.version_info[:2])
    for version in versions:
        if version != own:
            with suppress(UnavailableError):
                find(version)
                return version
    return None


MODERN = ("3.13", "3.12", "3.14", "3.11")

PACKAGES = {
    "axe": "axe-playwright-python",
    "crispy-forms": "crispy-bootstrap5",
    "redis-py": "redis",
}
"""What is installed for a need of another name."""
INSTALLED = (
    *("channels-redis", "daphne", "faker", "gevent", "granian", "gunicorn", "httpx", "hypercorn"),
    *("playwright", "psycopg", "pyuwsgi", "selectolax", "supervisor", "uvicorn", "uvicorn-worker"),
    *("uvloop", "waitress", "websockets"),
)
"""What is installed by its own name."""

NEEDS: dict[str, Need] = {
    "chromium": Need(_program("chromium", "chromium-browser"), "apt install chromium"),
    "postgresql": Need(_postgresql, "apt install postgresql"),
    "nginx": Need(_system("nginx"), "apt install nginx-light"),
    "haproxy": Need(_system("haproxy"), "apt install haproxy"),
    "openssl": Need(_system("openssl"), "apt install openssl"),
    "apache": Need(_system("apache2"), "apt install apache2-bin"),
    "mod_wsgi": Need(
        lambda: Path("/usr/lib/apache2/modules/mod_wsgi.so").exists(),
        "apt install libapache2-mod-wsgi-py3",
    ),
    # A hundred jars and a gigabyte of memory: for those who ask for it.
    "cassandra": Need(
        lambda: bool(jars()), "set CASSANDRA_JARS as docs/services.md says", rare=True
    ),
    "systemd": Need(_system("systemd-analyze"), "apt install systemd"),
    "dockerd": Need(_system("dockerd"), "apt install docker.io"),
    "docker-compose": Need(_compose, "apt install docker-compose"),
    "redis": Need(_program("redis-server", "valkey-server"), "apt install redis-server"),
    "mariadb": Need(_system("mariadbd"), "apt install mariadb-server default-mysql-client"),
    "memcached": Need(_system("memcached"), "apt install memcached"),
    "mysqlclient": Need(
        _module("MySQLdb"), "apt install gcc libmariadb-dev pkg-config python3-dev; make compiled"
    ),
    "make": Need(_program("make"), "apt install make"),
    "py-spy": Need(_beside("py-spy"), "pip install py-spy"),
    "uv": Need(_beside("uv"), "pip install uv"),
    # A network that only a test's own processes see; who has unshare has nsenter, which enters it.
    "own-network": Need(_as_root("unshare --net ip link set lo up"), "run as root", rare=True),
    "own-mounts": Need(
        _as_root("unshare --mount mount -t tmpfs none /mnt"), "run as root", rare=True
    ),
    "netns": Need(
        _as_root("unshare --net --time --fork ip link add type veth"),
        "apt install iproute2, and run as root",
        rare=True,
    ),
    "another-python": Need(_python(*MODERN), "uv python install 3.13", rare=True),
    "python2.7": Need(_python("2.7"), "pyenv install 2.7", rare=True),
    "python3.6": Need(_python("3.6"), "pyenv install 3.6", rare=True),
    "node-peers": Need(
        lambda: adapters.package_version("ws") is not None,
        "apt install nodejs npm && python manage.py buildpeer node",
        rare=True,
    ),
    # Debian has them, but what Rails of Debian 13 makes of the program was not seen.
    "actioncable": Need(
        lambda: ActionCable.available().ok,
        "apt install ruby-actioncable ruby-websocket-driver puma",
        rare=True,
    ),
    "git": Need(_program("git"), "apt install git"),
    "formtools": Need(_module("formtools"), "pip install django-formtools"),
    **{
        name: Need(_module(package.replace("-", "_")), f"pip install {package}")
        for name, package in (*PACKAGES.items(), *zip(INSTALLED, INSTALLED, strict=True))
    },
}


def needs(*names: str) -> pytest.MarkDecorator:
    """A mark that skips the test when the machine lacks one of these."""
    unknown = sorted(set(names) - set(NEEDS))
    if unknown:
        raise ValueError(f"unknown needs {', '.join(unknown)}; there are: {', '.join(NEEDS)}")
    return pytest.mark.needs(*names)


def audited(names: Iterable[Any], *tested: Any) -> list[Any]:
    """Parameters that are the audit's, but for those tested every time."""
    return [
        name
        if name in tested
        else pytest.param(*(name if isinstance(name, tuple) else [name]), marks=pytest.mark.audit)
        for name in names
    ]


def lacking(names: tuple[str, ...]) -> str:
    """Why a test with these needs can't run here; empty when it can."""
    return "; ".join(f"needs {name}: {NEEDS[name].command}" for name in names if not _found(name))


def only_rare_lacking(names: tuple[str, ...]) -> bool:
    """Whether whatever of these the machine lacks is rare."""
    return all(NEEDS[name].rare for name in names if not _found(name))


@cache
def _found(name: str) -> bool:
    return NEEDS[name].found()
