"""What all heritage servers share: an environment and a target of their own."""

import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.pythons import requirements
from benchsuite.pythons.building import Recipe, Step
from benchsuite.pythons.finding import find, kind_of
from benchsuite.pythons.interpreter import OWN, Interpreter, entry
from benchsuite.servers.base import Available, ServerAdapter
from benchsuite.system.installed import plain

TARGETS = Path(__file__).parent / "targets"
COMPILERS = ("cc", "gcc", "clang")


class Heritage(ServerAdapter):
    """A heritage server. It serves its own target: no current project runs on its Python.

    The target is copied into the run's folder, so that bytecode which old Pythons write beside
    modules is removed with it.
    """

    serves_project = False
    target: ClassVar[str]  #: The folder of its target and pins, also the name of its environment.
    served: ClassVar[str] = ""  #: The folder of its target, if another one.
    pythons: ClassVar[tuple[str, ...]] = ("2.7",)
    """Versions that it runs under, the one of its era first."""
    proof: ClassVar[str]  #: Python code that imports all it needs.
    header: ClassVar[tuple[str, str]] = ("", "")
    """A C header needed to compile it, and its Debian package."""

    @classmethod
    def recipe(cls, python: str) -> Recipe:
        return Recipe(
            name=f"heritage-{cls.target}",
            python=cls._interpreter(python),
            steps=cls.steps(cls.pins()),
            files=cls.files(),
            proof=cls.proof,
            needed="its versions are pinned: check whether the package index still has them, and "
            "install the compiler and headers that docs/heritage.md names",
        )

    @classmethod
    def pins(cls) -> requirements.Requirements:
        """The exact versions of all packages."""
        return requirements.read(TARGETS / cls.target / "requirements.txt")

    @classmethod
    def steps(cls, pins: requirements.Requirements) -> tuple[Step, ...]:
        """Installs only what is pinned, whatever its metadata requires."""
        return (Step(requirements=pins, options=("--no-deps",)),)

    @classmethod
    def files(cls) -> Mapping[str, str]:
        """Files to add to the environment's packages: name → content."""
        return {}

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        """The version in its environment; the pinned one for our own interpreter."""
        if not python.is_own:
            return python.installed(cls.distribution)
        return cls.pins().versions.get(plain(cls.distribution))

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        """Whether its environment exists or can be built here."""
        try:
            cls._interpreter("")
        except UnavailableError:
            named = " or ".join(cls.pythons)
            return Available(
                False, f"Python {named} is not on this machine", f"pyenv install {cls.pythons[0]}"
            )
        if not any(shutil.which(name) for name in COMPILERS):
            return Available(False, "there is no C compiler", "apt install gcc")
        name, package = cls.header
        if name and not _is_header(name):
            return Available(False, f"the header {name} is missing", f"apt install {package}")
        return Available(True)

    def config_files(self, host: str, port: int) -> Mapping[str, str]:
        folder = TARGETS / (self.served or self.target)
        return {
            str(Path("target", path.relative_to(folder))): path.read_text()
            for path in sorted(folder.rglob("*.py"))
        }

    def env(self) -> dict[str, str]:
        return {**super().env(), "PYTHONPATH": entry(self.target_folder)}

    @property
    def target_folder(self) -> Path:
        """Where `config_files()` puts the target."""
        return self.place.folder / "target"

    @classmethod
    def _interpreter(cls, python: str) -> Path:
        """The interpreter that `--python` names if it fits, else the first one installed."""
        if python:
            found = find(python)
            kind = kind_of(str(found))
            if kind is None or ".".join(map(str, kind.version[:2])) not in cls.pythons:
                raise UsageError(
                    f"{cls.name} runs under Python {' or '.join(cls.pythons)}, and "
                    f"--python={python} is {kind}; remove --python."
                )
            return found
        for version in cls.pythons:
            with suppress(UnavailableError):
                return find(version)
        raise UnavailableError(
            f"{cls.name} needs Python {' or '.join(cls.pythons)}, which is not on this machine; "
            f"install it: pyenv install {cls.pythons[0]}."
        )


def _is_header(name: str) -> bool:
    """Whether a C compiler would find it; Debian keeps some in a folder of the architecture."""
    root = Path("/usr/include")
    places = (root, Path("/usr/local/include"), *root.glob("*-linux-gnu*"))
    return any((folder / name).is_file() for folder in places)
