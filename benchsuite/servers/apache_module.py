"""The mod_wsgi that fits an interpreter: from its own environment, or the system's."""

import json
import re
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchsuite.pythons.interpreter import Interpreter

ASK_S = 20.0
PROGRAMS = ("/usr/sbin/apache2", "/usr/sbin/httpd", "/usr/bin/httpd")
MODULES = ("/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/lib/httpd/modules")

_ASK = """
import json, sys, sysconfig
platlib = sysconfig.get_path("platlib")
print(json.dumps([sys.version_info[:2], sys.prefix, sys.base_prefix, platlib]))
"""
_APACHE = re.compile(rb"Apache/(2\.\d+\.\d+)")
_LINKED = re.compile(rb"libpython(\d+)\.(\d+)\.so")
_VERSION = re.compile(rb"\0([4-9]\.\d+\.\d+)\0")
"""The module holds its own version and one of Python's, 3.11.1."""


@dataclass(frozen=True, slots=True)
class WsgiModule:
    """One mod_wsgi and where its Python finds installed packages."""

    file: Path
    version: str
    python_home: str


@dataclass(frozen=True, slots=True)
class Home:
    """An interpreter's version, prefixes and folder of compiled packages."""

    version: tuple[int, int]
    prefix: str
    base: str
    packages: str = ""


def program() -> Path | None:
    """Apache itself."""
    return next((path for path in map(Path, PROGRAMS) if path.exists()), None)


def modules() -> Path | None:
    """The folder of Apache's own modules."""
    return next((path for path in map(Path, MODULES) if path.is_dir()), None)


@cache
def apache_version() -> str | None:
    """The version of Apache, read from the program: "2.4.71"."""
    found = program()
    match = _APACHE.search(found.read_bytes()) if found else None
    return match.group(1).decode() if match else None


@cache
def wsgi_module(python: Interpreter) -> WsgiModule | None:
    """The one of the interpreter's environment, else the system's if it was made for it."""
    return _installed(python) or _of_the_system(python)


@cache
def made_for() -> tuple[int, int] | None:
    """The Python that the system's mod_wsgi was built for; None without one."""
    file = _system_file()
    match = _LINKED.search(file.read_bytes()) if file else None
    return (int(match.group(1)), int(match.group(2))) if match else None


def _installed(python: Interpreter) -> WsgiModule | None:
    version = python.installed("mod_wsgi")
    if version is None:
        return None
    home = _home(python)
    files = sorted(Path(home.packages, "mod_wsgi", "server").glob("mod_wsgi-py*.so"))
    return WsgiModule(files[0], version, home.prefix) if files else None


def _of_the_system(python: Interpreter) -> WsgiModule | None:
    """Its Python must be the system's: the same version elsewhere is another program."""
    file = _system_file()
    if file is None:
        return None
    home = _home(python)
    if home.version != made_for() or home.base != "/usr":
        return None
    version = _VERSION.search(file.read_bytes())
    return WsgiModule(file, version.group(1).decode() if version else "", home.prefix)


def _system_file() -> Path | None:
    folder = modules()
    file = folder / "mod_wsgi.so" if folder else None
    return file if file and file.is_file() else None


@cache
def _home(python: Interpreter) -> Home:
    if python.is_own:
        platlib = sysconfig.get_path("platlib")
        return Home(sys.version_info[:2], sys.prefix, sys.base_prefix, platlib)
    done = subprocess.run(
        [python.executable, "-c", _ASK], capture_output=True, text=True, timeout=ASK_S, check=True
    )
    (major, minor), prefix, base, platlib = json.loads(done.stdout)
    return Home((major, minor), prefix, base, platlib)
