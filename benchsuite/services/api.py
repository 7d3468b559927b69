"""The API that the views of the workload `upstream` ask: a program of ours that only waits."""

import platform
import secrets
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from benchsuite.services.api_program import HEADER
from benchsuite.services.base import HOST, Service

PROGRAM = Path(__file__).with_name("api_program.py")


@dataclass(kw_only=True, eq=False, repr=False)
class Api(Service):
    """One process, which answers when it is told to."""

    name = "api"
    title = "The API"
    programs = ()
    package = ""
    ours = True
    grace_s = 5.0

    _token: str = field(default_factory=lambda: secrets.token_hex(8), init=False, repr=False)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @classmethod
    def program(cls) -> Path:
        return Path(sys.executable)

    def argv(self) -> Sequence[str]:
        names = ("failures", "stall_at_s", "stall_s")
        values = (str(self.options.get(name, 0.0)) for name in names)
        return [str(self.program()), "-I", "-S", str(PROGRAM), str(self.port), self._token, *values]

    def answers(self) -> bool:
        try:
            return self._ask("/?seconds=0")
        except (OSError, HTTPException):
            return False

    def learn(self) -> None:
        self.version = platform.python_version()

    def begun(self, moment: float) -> None:
        self._ask(f"/begun?at={moment:.6f}")

    def _ask(self, path: str) -> bool:
        """Whether it answers, and is this one."""
        with closing(HTTPConnection(HOST, self.port, timeout=5.0)) as asked:
            asked.request("GET", path)
            return asked.getresponse().headers.get(HEADER) == self._token
