"""The npm packages of the servers on Node: installed once, from a lock file, into the cache."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

from benchsuite.core.exceptions import StartError, UnavailableError
from benchsuite.servers.base import Available
from benchsuite.system import programs
from benchsuite.system.folders import cache_folder

PROGRAMS = Path(__file__).parent / "programs"
LISTS = ("package.json", "package-lock.json")
BUILD_S = 300.0
OLDEST_NODE = 18


def modules() -> Path:
    """Where the packages of this lock are, or would be."""
    digest = hashlib.sha256(b"".join((PROGRAMS / name).read_bytes() for name in LISTS))
    return cache_folder() / "peers" / digest.hexdigest()[:16] / "node_modules"


def version(package: str) -> str | None:
    try:
        package_facts = json.loads((modules() / package / "package.json").read_text())
    except (OSError, ValueError):
        return None
    return str(package_facts["version"])


def usable() -> Available:
    """Whether packages can be built and run here."""
    node = programs.program_version("node", "--version")
    if node is None:
        return Available(False, "Node is not installed", "apt install nodejs npm")
    if int(node.partition(".")[0]) < OLDEST_NODE:
        return Available(False, f"Node {node} is too old", f"install Node {OLDEST_NODE} or newer")
    return Available(True)


def build() -> Path:
    """Installs the packages with `npm ci`; returns where they are. A second call does nothing.

    Raises UnavailableError without Node or npm, StartError with npm's output when it fails.
    """
    if not (node := usable()).ok:
        raise UnavailableError(
            f"The packages can't be installed: {node.reason}; try: {node.command}."
        )
    if (npm := programs.find_program("npm")) is None:
        raise UnavailableError("The packages can't be installed without npm: apt install npm.")
    wanted = modules().parent
    if modules().is_dir():
        return wanted
    aside = wanted.with_name(f"{wanted.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    for name in LISTS:
        shutil.copyfile(PROGRAMS / name, aside / name)
    try:
        words = ("ci", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=dev")
        done = programs.asked(npm, *words, folder=aside, limit_s=BUILD_S)
    except subprocess.TimeoutExpired as error:
        raise StartError(
            f"npm did not finish within {BUILD_S:g} s; check that its registry can be reached."
        ) from error
    if done.returncode:
        tail = "\n".join(done.stdout.decode(errors="replace").splitlines()[-20:])
        raise StartError(f"npm ci failed with status {done.returncode}:\n{tail}")
    aside.replace(wanted)
    return wanted
