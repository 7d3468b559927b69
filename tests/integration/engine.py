"""A Docker engine of a test's own, with an image of this repository.

The engine has a network namespace of its own: its bridges and rules of iptables end with it.
"""

import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from shutil import rmtree, which

from tests.integration.command import ROOT
from tests.integration.left_behind import eventually

IMAGE = "benchsuite-test:1"
SERVED = ("dj-database-url", "django", "uvicorn")
"""What the image has installed, with all that it requires."""
NO_PART = {"__pycache__", "dist-packages", "idlelib", "site-packages", "test"}
MADE = ("/etc/docker/key.json", "/opt/containerd", "/run/docker")
"""What an engine makes outside its own folders, whatever it is told."""


class Engine:
    """A running engine; programs reach it from its network namespace alone."""

    def __init__(self, process: subprocess.Popen[bytes], socket: Path) -> None:
        self.inside = ("nsenter", f"--net=/proc/{process.pid}/ns/net")
        """What a command line begins with that shall find it."""
        self.address = f"unix://{socket}"

    def docker(self, *words: str) -> str:
        command = ["docker", "--host", self.address, *words]
        return subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=60
        ).stdout.strip()


@contextmanager
def engine() -> Iterator[Engine]:
    """An engine that manages a swarm, until the block is left; nothing of it stays."""
    kept = [path for path in map(Path, MADE) if path.exists()]
    groups = set(Path("/sys/fs/cgroup").glob("*/docker"))
    with tempfile.TemporaryDirectory(prefix="bst-engine-") as name:
        folder = Path(name)
        socket = folder / "docker.sock"
        words = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec dockerd "$@"', "sh"]
        words += ["--storage-driver=vfs", f"--host=unix://{socket}"]
        words += [f"--data-root={folder}/data", f"--exec-root={folder}/exec"]
        words += [f"--pidfile={folder}/pid"]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(words, stdout=log, stderr=log)
        try:
            running = Engine(process, socket)
            assert eventually(socket.exists), (folder / "log").read_text()
            running.docker("swarm", "init", "--advertise-addr=127.0.0.1")
            yield running
        finally:
            process.terminate()
            process.wait(timeout=60)
            for path in map(Path, MADE):
                if path not in kept:
                    rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            for path in set(Path("/sys/fs/cgroup").glob("*/docker")) - groups:
                path.rmdir()


def import_image(running: Engine, folder: Path) -> None:
    """An image with this Python, the servers and the repository, each where it is here."""
    packages = Path(sysconfig.get_path("purelib"))
    archive = folder / "image.tar"
    with tarfile.open(archive, "w") as tar:
        for path in _contents(packages):
            tar.add(path.resolve(), str(path), recursive=False)
        for name, mode in (("tmp", 0o1777), ("proc", 0o755)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, mode
            tar.addfile(entry)
        entry = tarfile.TarInfo("usr/bin/python")
        entry.type, entry.linkname = tarfile.SYMTYPE, str(Path(sys.executable).resolve())
        tar.addfile(entry)
    changes = [f"ENV PYTHONPATH={packages}:{ROOT}", "ENV PATH=/usr/bin", f"WORKDIR {ROOT}"]
    words = [word for change in changes for word in ("--change", change)]
    running.docker("import", *words, str(archive), IMAGE)
    archive.unlink()


def _contents(packages: Path) -> set[Path]:
    programs = [Path(sys.executable).resolve(), Path(str(which("taskset")))]
    files = {*programs, *_below(Path(sysconfig.get_path("stdlib"))), ROOT / "manage.py"}
    for folder in ("benchsuite", "testproject"):
        files.update(_below(ROOT / folder))
    for name in _required(SERVED):
        files.update(
            packages / path
            for path in metadata.files(name) or ()
            if not NO_PART & set(path.parts) and (packages / path).is_file()
        )
    return files | _libraries([*programs, *(path for path in files if path.suffix == ".so")])


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not NO_PART & set(path.relative_to(folder).parts):
            yield path


def _required(names: Sequence[str]) -> set[str]:
    """The distributions and all installed ones that these require."""
    found: set[str] = set()
    wanted = list(names)
    while wanted:
        name = wanted.pop()
        if name not in found:
            try:
                lines = metadata.requires(name) or []
            except metadata.PackageNotFoundError:
                continue
            found.add(name)
            wanted += [re.match(r"[\w.-]+", line)[0] for line in lines if "extra ==" not in line]
    return found


def _libraries(programs: Sequence[Path]) -> set[Path]:
    said = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout
    return {Path(path) for path in re.findall(r"(?:=> |^\t)(/\S+) \(", said, re.M)}
