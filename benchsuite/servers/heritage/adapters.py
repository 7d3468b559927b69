"""Adapters of the legacy servers: what a family does; what is true of each is in `servers.toml`."""

import hashlib
import shlex
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from string import Template
from typing import Any, ClassVar

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import Option, Within
from benchsuite.pythons.building import Recipe, Requirements, Step
from benchsuite.pythons.interpreter import OWN, Interpreter, entry, find, kind_of
from benchsuite.servers.base import BACKLOG, Available, Interface, ServerAdapter
from benchsuite.servers.heritage import TABLE, TARGETS
from benchsuite.system.installed import plain

SOCKET = "$(circus.sockets.web)"  #: Circus writes the number of the socket there.


class Heritage(ServerAdapter):
    """A legacy server, with a target of its own: no current project runs on its Python. A copy in
    the run's folder is served, so that bytecode beside its modules is removed with it.
    """

    interface: ClassVar[Interface] = "wsgi"
    managers = 1
    for_threads = "take more processes: --processes=N"
    options: ClassVar[Mapping[str, Option]] = {"backlog": BACKLOG}
    serves_project = False
    variables = {"GUNICORN_CMD_ARGS": "", "DJANGO_SETTINGS_MODULE": "heritage.settings"}
    target: ClassVar[str]  #: The folder of its target and pins, also the name of its environment.
    served: ClassVar[str] = ""  #: The folder of its target, if another one.
    pythons: ClassVar[tuple[str, ...]] = ("2.7",)  #: That it runs under, that of its era first.
    proof: ClassVar[str]  #: Python code that imports all it needs.
    header: ClassVar[tuple[str, ...]] = ()  #: Needed to compile it, and its Debian package.
    switches: ClassVar[Mapping[str, str]] = {}  #: Package → flags that compile it today.
    files: ClassVar[Mapping[str, str]] = {}  #: To add to its packages: name → content.
    layer: ClassVar[str] = ""  #: The channel layer in the target's settings.

    @classmethod
    def recipe(cls, python: str) -> Recipe:
        """Installs only what is pinned, whatever its metadata requires; packages compiled with
        flags come last, as pip's cache ignores flags.
        """
        wheels, steps = [], []
        for line in cls.pins().lines:
            if flags := cls.switches.get(line.partition("==")[0]):
                options, variables = ("--no-deps", "--no-cache-dir"), {"CFLAGS": flags}
                pin = Requirements(lines=(line,))
                steps.append(Step(requirements=pin, options=options, variables=variables))
            else:
                wheels.append(line)
        first = Step(requirements=Requirements(lines=tuple(wheels)), options=("--no-deps",))
        return Recipe(
            name=f"heritage-{cls.target}",
            python=cls._interpreter(python),
            steps=(first, *steps),
            files=cls.files,
            proof=cls.proof,
            needed="its versions are pinned: check whether the package index still has them, and "
            "install the compiler and headers that docs/heritage.md names",
        )

    @classmethod
    def pins(cls) -> Requirements:
        return Requirements.read(TARGETS / cls.target / "requirements.txt")

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        """The version in its environment; the pinned one for our own interpreter."""
        if not python.is_own:
            return python.installed(cls.distribution)
        return cls.pins().versions.get(plain(cls.distribution))

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        """Whether its environment exists or can be built here."""
        header, package = cls.header or ("", "")
        try:
            cls._interpreter("")
        except UnavailableError:
            reason = f"Python {' or '.join(cls.pythons)} is not on this machine"
            return Available(False, reason, f"pyenv install {cls.pythons[0]}")
        if not any(shutil.which(name) for name in ("cc", "gcc", "clang")):
            return Available(False, "there is no C compiler", "apt install gcc")
        if header and not _is_header(header):
            return Available(False, f"the header {header} is missing", f"apt install {package}")
        return Available(True)

    def config_files(self, host: str, port: int) -> Mapping[str, str]:
        folder = TARGETS / (self.served or self.target)
        return {
            str(Path("target", path.relative_to(folder))): path.read_text()
            for path in sorted(folder.rglob("*.py"))
        }

    def env(self) -> dict[str, str]:
        return {
            **super().env(),
            "PYTHONPATH": entry(self.target_folder),
            "HERITAGE_BENCH": str(self.settings.get("bench", "first")),
            "HERITAGE_LAYER": self.place.services.get("redis", self.layer),
            "HERITAGE_PREFIX": self.prefix,
        }

    def _check(self) -> None:
        super()._check()
        self.target_folder = self.place.folder / "target"
        digest = hashlib.sha256(str(self.place.folder).encode()).hexdigest()
        # Unique to this start: of names in a channel layer, and of Circus's sockets.
        self.prefix = f"benchsuite-{digest[:16]}"
        self.second = self.settings.get("bench") == "second"  #: As it was after July 2012.

    @classmethod
    def _interpreter(cls, python: str) -> Path:
        """The interpreter that `--python` names if it fits, else the first one installed."""
        versions = " or ".join(cls.pythons)
        if python:
            named = find(python)
            kind = kind_of(str(named))
            if kind is None or ".".join(map(str, kind.version[:2])) not in cls.pythons:
                raise UsageError(
                    f"{cls.name} runs under Python {versions}, and --python={python} is {kind}; "
                    "remove --python."
                )
            return named
        for version in cls.pythons:
            with suppress(UnavailableError):
                return find(version)
        raise UnavailableError(
            f"{cls.name} needs Python {versions}, which is not on this machine; install it: pyenv "
            f"install {cls.pythons[0]}."
        )


class Gunicorn(Heritage):
    """A master and its workers."""

    distribution = "gunicorn"
    served_as: ClassVar[str]  #: "module:callable" in the target.
    worker: ClassVar[str]  #: The class of its workers.

    def argv(self, host: str, port: int) -> list[str]:
        command = [self.python.script("gunicorn"), "--bind", f"{host}:{port}"]
        command += ["--workers", str(self.processes), "--worker-class", self.worker]
        command += ["--backlog", str(self.settings["backlog"])]
        if self.second:
            command += ["--config", str(self.target_folder / "gunicorn.conf.py")]
        return [*command, self.served_as]


class Daphne(Heritage):
    """One Daphne; `workers` processes of `runworker` answer what it sends through the layer."""

    interface = "asgi"
    distribution = "daphne"
    finishes_in_flight = True
    managers = 0
    max_processes = 1
    for_processes = for_threads = "take more workers: --option workers=N"
    options = {"workers": 1}
    limits = {"workers": Within(1)}

    def argv(self, host: str, port: int) -> list[str]:
        where = ["-b", host, "-p", str(port)]
        return [self.python.script("daphne"), "-v", "0", *where, "heritage.asgi:channel_layer"]

    def companion_processes(self) -> Mapping[str, Sequence[str]]:
        command = [*self.python.module("django"), "runworker", "-v", "0"]
        return {f"runworker {n + 1}": command for n in range(int(self.settings["workers"]))}

    def shared_memory(self) -> str:
        return self.prefix if self.layer == "ipc" else ""


class Circus(Heritage):
    """Circus, old or current, holds the socket and keeps one chaussette on it for each process."""

    distribution = "chaussette"
    backend: ClassVar[str]  #: Chaussette's name of the server inside.
    own_circus = False  #: Whether Circus is today's: the socket passes between two Pythons.

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        if cls.own_circus and OWN.installed("circus") is None:
            return Available(False, "circus is not installed", "pip install circus")
        return super().available(python)

    def argv(self, host: str, port: int) -> list[str]:
        own, ini = OWN.module("circus.circusd"), str(self.place.folder / "circus.ini")
        return [*own, ini] if self.own_circus else [self.python.script("circusd"), ini]

    def config_files(self, host: str, port: int) -> Mapping[str, str]:
        words = [self.python.script("chaussette"), "--fd", SOCKET, "--backend", self.backend]
        if self.second:
            words += ["--pre-hook", "chaussette.util.setup_bench"]
            words += ["--post-hook", "chaussette.util.teardown_bench"]
        words.append("bench.application")
        ini = Template((TARGETS / "circus.ini").read_text()).substitute(
            prefix=self.prefix,
            cmd=" ".join(word if word == SOCKET else shlex.quote(word) for word in words),
            processes=self.processes,
            host=host,
            port=port,
            backlog=self.settings["backlog"],
        )
        return {**super().config_files(host, port), "circus.ini": ini}


def _is_header(name: str) -> bool:
    """Whether a C compiler would find it; Debian keeps some in a folder of the architecture."""
    root = Path("/usr/include")
    places = (root, Path("/usr/local/include"), *root.glob("*-linux-gnu*"))
    return any((folder / name).is_file() for folder in places)


def _adapter(name: str, family: str, **facts: Any) -> type[Heritage]:
    """The class of a row of the table, with what is true of its environment."""
    facts = {**TABLE["environments"][facts["target"]], **facts}
    for table in (facts, facts.get("limits", {})):
        table.update({fact: tuple(row) for fact, row in table.items() if isinstance(row, list)})
    return type(family, (globals()[family],), {**facts, "name": name, "__module__": __name__})


vars().update({name: _adapter(name, **row) for name, row in TABLE["servers"].items()})
