"""The contract of a server adapter: facts, and a pure `argv()`. It never starts, waits or kills."""

import os
import re
import signal
import sys
import sysconfig
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import ClassVar, Literal

from benchsuite.exceptions import UsageError
from benchsuite.specs import Option, ServerSpec

Interface = Literal["wsgi", "asgi"]


@dataclass(frozen=True, slots=True)
class Available:
    """Whether something can run here and, if not, why and which command would help."""

    ok: bool
    reason: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Application:
    """The callables to serve, as `package.module:callable`."""

    wsgi: str = "benchsuite.isolation.wsgi:application"
    asgi: str = "benchsuite.isolation.asgi:application"


class ServerAdapter(ABC):
    """One way to serve a Django project.

    Subclasses declare facts as class attributes and write `argv()`; everything else has a default. An
    adapter checks its spec when it is made: what the server can't honour is a UsageError, never ignored.
    """

    name: ClassVar[str]
    interface: ClassVar[Interface]
    distribution: ClassVar[str]
    """The PyPI distribution that brings the program."""
    threads_word: ClassVar[str | None] = None
    """What the server's manual calls its threads (or greenlets); None when there is only one."""
    max_processes: ClassVar[int | None] = None
    """The most processes it can run; None for no limit."""
    default_processes: ClassVar[int] = 1
    default_threads: ClassVar[int] = 1
    keeps_alive: ClassVar[bool] = True
    """Whether a connection serves more than one request."""
    websocket: ClassVar[bool] = False
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    grace_s: ClassVar[float] = 10.0
    """How long it may take to end after the stop signal before it is killed."""
    options: ClassVar[Mapping[str, Option]] = {}
    """Options that `--option name=value` may set, with their defaults (the type is the default's)."""

    def __init__(self, spec: ServerSpec, application: Application) -> None:
        self.spec = spec
        self.application = application
        self.processes = spec.processes or self.default_processes
        self.threads = spec.threads or self.default_threads
        self.settings = self._settings()
        self._check()

    @abstractmethod
    def argv(self, host: str, port: int) -> list[str]:
        """The exact command line; pure."""

    def env(self) -> dict[str, str]:
        """Variables to add to the environment of the server."""
        return {}

    @classmethod
    def version(cls) -> str | None:
        """The installed version of the program, or None."""
        try:
            return metadata.version(cls.distribution)
        except metadata.PackageNotFoundError:
            return None

    @classmethod
    def available(cls) -> Available:
        if cls.version() is None:
            return Available(
                False, f"{cls.distribution} is not installed", f"pip install {cls.distribution}"
            )
        return Available(True)

    def _settings(self) -> dict[str, Option]:
        settings = dict(self.options)
        for name, value in self.spec.options.items():
            if name not in settings:
                known = ", ".join(sorted(settings)) or "none"
                raise UsageError(f"{self.name} has no option {name!r}; it has: {known}.")
            settings[name] = _converted(self.name, name, value, settings[name])
        return settings

    def _check(self) -> None:
        if self.max_processes is not None and self.processes > self.max_processes:
            raise UsageError(
                f"{self.name} runs {_count(self.max_processes, 'process')}, and the spec asks for "
                f"{self.processes}."
            )
        if self.threads_word is None and self.spec.threads not in (None, 1):
            raise UsageError(
                f"{self.name} has no threads to set, and the spec asks for {self.threads}."
            )


def python_program(module: str) -> list[str]:
    """The start of a command line that runs an installed module with this interpreter."""
    return [sys.executable, "-m", module]


def program(name: str) -> str:
    """The path of a console script of this interpreter's environment, else its bare name."""
    candidate = Path(sysconfig.get_path("scripts")) / name
    return str(candidate) if os.access(candidate, os.X_OK) else name


def _converted(server: str, name: str, value: Option, default: Option) -> Option:
    wanted = type(default)
    if wanted is bool:
        words = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
        if str(value).lower() in words:
            return words[str(value).lower()]
    elif wanted is int and re.fullmatch(r"-?\d+", str(value)):
        return int(value)
    elif wanted is float and re.fullmatch(r"-?\d*\.?\d+", str(value)):
        return float(value)
    elif wanted is str:
        return str(value)
    raise UsageError(
        f"{server}'s option {name} is a {wanted.__name__} (default {default}), and {value!r} is none."
    )


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}es"
