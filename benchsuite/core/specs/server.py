"""Which server, in which size, behind what."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.options import Option
from benchsuite.core.specs.spec import REQUIRED, Spec, option

MEASURED, PYTHON, FRONT = "What is measured", "Python", "Before the server"
"""Headings of --help."""

MAX_PROCESSES = 256
MAX_THREADS = 1024
MAX_INSTANCES = 64
APPLICATION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec(Spec):
    """Which server, in which size.

    `processes` and `threads` are None for "the adapter's default"; `options` are the adapter's
    own names.
    """

    group = "Server"

    server: str = option(
        REQUIRED,
        "--server NAME[,NAME…]",
        "server to start (see listbench)",
        unless="one that can run here",
    )
    python: str = option(
        "",
        "--python PYTHON[,PYTHON…]",
        "Python of the server, as a version (3.13, pypy3.11) or a path",
        unless="this one",
        group=PYTHON,
    )
    environment: str = option(
        "",
        "--env NAME=FILE",
        "build an environment with what this requirements file names, and serve in it",
        axis=True,
        again=True,
        group=PYTHON,
    )
    """As `name@digest of its requirements`."""
    front: str = option(
        "", "--front NAME[,NAME…]", "proxy before the server (see listbench), or none", group=FRONT
    )
    instances: int = option(
        1,
        "--instances N[,N…]",
        "copies of the server behind the front",
        within=(1, MAX_INSTANCES),
        group=FRONT,
    )
    front_options: Mapping[str, Option] = option(
        {},
        "--front-option NAME=VALUE",
        "an option of the front, by its adapter's name for it",
        group=FRONT,
    )
    processes: int | None = option(
        None, "--processes N[,N…]", "processes of each server", within=(1, MAX_PROCESSES)
    )
    threads: int | None = option(
        None, "--threads N[,N…]", "threads of each process", within=(1, MAX_THREADS)
    )
    options: Mapping[str, Option] = option(
        {}, "--option NAME=VALUE", "an option of the server, by the adapter's name for it"
    )
    application: str = option(
        "",
        "--application MODULE:CALLABLE",
        "a WSGI or ASGI application to serve in place of the project's own, without Django "
        "around it",
        group=MEASURED,
    )
    cpus: tuple[int, ...] | None = None  #: CPUs on which it may run; None for all.

    def check(self) -> None:
        if self.application and not APPLICATION.fullmatch(self.application):
            raise UsageError(
                f"--application={self.application} names no callable; write it as "
                "package.module:callable."
            )
        if self.instances > 1 and not self.front:
            raise UsageError(
                f"--instances={self.instances} needs something that shares the requests among "
                "them; add --front=nginx or --front=haproxy."
            )
        if self.front_options and not self.front:
            raise UsageError("--front-option sets something of a front; add --front=NAME.")

    @property
    def environment_name(self) -> str:
        return self.environment.partition("@")[0]

    @property
    def python_words(self) -> str:
        """Which Python serves: "environment new of Python 3.13"; empty for this process's own."""
        python = f"Python {self.python}" if self.python else ""
        if not self.environment:
            return python
        return f"environment {self.environment_name}{f' of {python}' if python else ''}"

    @property
    def front_words(self) -> str:
        """What stands before it: "4 instances behind nginx"; empty for nothing."""
        if not self.front:
            return ""
        words = f"{self.instances} instance{'s' * (self.instances != 1)} behind {self.front}"
        settings = ", ".join(f"{name}={one}" for name, one in sorted(self.front_options.items()))
        return f"{words} ({settings})" if settings else words
