"""Errors of the measured server, in a file beside its instructions: written there, read by the run.

What a project logs, and where, is its own choice; why a page failed concerns the run.
"""

import dataclasses
import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_stack, walk_tb
from types import FrameType

from benchsuite.isolation.instructions import INSTRUCTIONS_VARIABLE

FILE = "errors.jsonl"
LOADING = "loading"  #: Stands for the request while the project is loaded, which takes long.
SOCKET = "WebSocket"  #: Stands for the method where a WebSocket was asked for.
DENIED = 403  #: How servers answer a handshake that the application refuses.
MOST = 8
"""Limit of distinct errors a process: a page that always fails must cost the run nothing but the
answer itself."""
MOST_BYTES = 128 * 1024  #: Of the file: servers may start many processes.
LONGEST = 300  #: Characters of an error's message.
NOT_THE_PROJECTS = ("site-packages", "dist-packages", f"python{sys.version_info[0]}.", "<frozen")


@dataclass(frozen=True, slots=True, kw_only=True)
class Error:
    """An error in the server, or its reason for a refusal."""

    status: int | None  #: Status of the response; None without a request, at the start.
    asked: str  #: "GET /shop/", "WebSocket /ws/"; empty at the start.
    message: str  #: "KeyError: 'price'"
    place: str  #: Place in the project as file:line; empty if unknown.
    routed: bool = True  #: False where no URL pattern of the project matches.

    @property
    def words(self) -> str:
        return f"{self.message} ({self.place})" if self.place else self.message


class Book:
    """The file to which one process writes its errors."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: set[tuple[object, ...]] = set()

    def enter(
        self,
        status: int | None,
        asked: str,
        error: BaseException | str,
        frame: FrameType | None = None,
        *,
        routed: bool = True,
    ) -> None:
        """Writes each kind of error once a place, which is that of `frame` where one is given;
        never raises.
        """
        if len(self._known) >= MOST:
            return
        place = "" if isinstance(error, str) else _place(walk_tb(error.__traceback__))
        if frame is not None:
            place = _place(reversed(list(walk_stack(frame))))
        what = error if isinstance(error, str) else type(error).__name__
        key = (status, what, place)
        if key in self._known:
            return
        self._known.add(key)
        text = error if isinstance(error, str) else f"{what}: {_said(error)}"
        message = " ".join(text.split())[:LONGEST].rstrip(": ")
        entry = Error(
            status=status, asked=asked[:LONGEST], message=message, place=place, routed=routed
        )
        line = json.dumps(dataclasses.asdict(entry)).encode() + b"\n"
        with suppress(OSError):  # a full disk, or another user's folder: the response stays
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                if os.fstat(file).st_size < MOST_BYTES:
                    os.write(file, line)
            finally:
                os.close(file)


def of_this_process() -> Book:
    return Book(Path(os.environ[INSTRUCTIONS_VARIABLE]).with_name(FILE))


def _said(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a project's own error
        return ""


def read(instructions: Path) -> list[Error]:
    """What the servers with those instructions have written down, in order; a half line is none."""
    try:
        lines = instructions.with_name(FILE).read_text(errors="replace").split("\n")[:-1]
    except OSError:
        return []
    errors = []
    for line in lines:
        with suppress(ValueError):  # on a full disk, processes may mix their lines
            errors.append(Error(**json.loads(line)))
    return errors


def _place(calls: Iterable[tuple[FrameType, int]]) -> str:
    """The project's last line among these calls, else the very last line."""
    last = own = ""
    for frame, line in calls:
        last = f"{short(frame.f_code.co_filename)}:{line}"
        if is_the_projects(frame.f_code.co_filename):
            own = last
    return own or last


def is_the_projects(path: str) -> bool:
    """Whether this is code of the project: not of a package, of Python, or ours."""
    foreign = (*NOT_THE_PROJECTS, f"{os.sep}benchsuite{os.sep}")
    return not any(sign in path for sign in foreign)


def short(path: str) -> str:
    """The path from the current directory, or its last two parts."""
    try:
        here = os.getcwd() + os.sep
    except OSError:  # it was removed
        here = os.sep * 2
    return (
        path.removeprefix(here) if path.startswith(here) else os.sep.join(path.split(os.sep)[-2:])
    )
