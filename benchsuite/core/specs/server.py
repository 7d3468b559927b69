"""Which server, in which size, behind what."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.options import Option
from benchsuite.core.specs.spec import Spec, whole

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

    server: str
    processes: int | None = None
    threads: int | None = None
    cpus: tuple[int, ...] | None = None  #: CPUs on which it may run; None for all.
    options: Mapping[str, Option] = field(default_factory=dict)
    instances: int = 1  #: Copies of it behind the front.
    front: str = ""  #: The proxy before it; empty for none.
    front_options: Mapping[str, Option] = field(default_factory=dict)
    python: str = ""
    """Another interpreter, as people name it ("3.13", a path); empty for this process's own."""
    application: str = ""
    """What it serves in place of the project's own callable, as `package.module:callable`."""
    environment: str = ""
    """An environment of that interpreter, as `name@digest of its requirements`; empty for none."""

    def __post_init__(self) -> None:
        whole("processes", self.processes, 1, MAX_PROCESSES)
        whole("threads", self.threads, 1, MAX_THREADS)
        whole("instances", self.instances, 1, MAX_INSTANCES)
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
