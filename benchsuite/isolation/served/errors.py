"""Why a page failed in the measured server, and who refused a WebSocket handshake, whatever the
project logs: written into a file beside its instructions, and read by the run.
"""

import dataclasses
import json
import logging
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_stack, walk_tb
from types import FrameType
from typing import Any

from django.core.signals import got_request_exception
from django.urls import Resolver404, resolve

from benchsuite.system.folders import as_private

FILE = "errors.jsonl"
SOCKET = "WebSocket"  #: Stands for the method where a WebSocket was asked for.
DENIED = 403  #: How servers answer a handshake that the application refuses.
MOST = 8  #: Distinct errors a process: a page that always fails costs no more than its answer.
MOST_BYTES = 128 * 1024  #: Of the file: servers may start many processes.
LONGEST = 300  #: Characters of an error's message.
NOT_THE_PROJECTS = ("site-packages", "dist-packages", f"python{sys.version_info[0]}.", "<frozen")
ITS_OWN = ("channels", "django", "asgiref", "benchsuite")  #: Between a refusal and the server.
NOT_ROUTED = "no URL pattern of the project matches"
LOST = 404
REFUSED = (400, 403, LOST)
LOGGERS = (
    "django.request",
    "django.security",
    "django.security.csrf",
    "django.security.DisallowedHost",
    "django.security.SuspiciousOperation",
)
"""One by one, as a project may stop propagation. What is disabled stays so, as do levels."""


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
    return not any(sign in path for sign in (*NOT_THE_PROJECTS, f"{os.sep}benchsuite{os.sep}"))


def short(path: str) -> str:
    """The path from the current directory, or its last two parts."""
    with suppress(OSError):  # it was removed
        if path.startswith(here := os.getcwd() + os.sep):
            return path.removeprefix(here)
    return os.sep.join(path.split(os.sep)[-2:])


def who_refused(scope: dict[str, Any]) -> str:
    """Names the code that sends the refusal; a sync consumer sends from another thread, unseen."""
    for frame, _ in walk_stack(sys._getframe(1)):
        sender = frame.f_locals.get("self")
        allowed = getattr(sender, "allowed_origins", None)
        if allowed is not None:
            headers = scope.get("headers", ())
            origins = (value for name, value in headers if name.lower() == b"origin")
            origin = bytes(next(origins, b"")).decode("latin-1")
            names = ", ".join(map(str, allowed)) or "none"
            return f"{type(sender).__name__} refuses the Origin {origin!r}, and allows {names}"
        package = type(sender).__module__.partition(".")[0]
        if getattr(sender, "scope", None) is not None and package not in ITS_OWN:
            return f"{type(sender).__module__}.{type(sender).__name__} refuses it"
    return "the application refuses it"


class Listener(logging.Handler):
    """Writes down the errors of this process, and costs nothing until something fails. Django's
    400, 403 and 404 responses have no signal and are only logged.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(logging.WARNING)
        self._path = path
        self._known: set[tuple[object, ...]] = set()
        self._denied: set[str] = set()
        self._lost: set[str] = set()

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Records errors while the project is loaded, then starts listening."""
        try:
            yield
        except BaseException as error:
            self.enter(None, "", error)
            raise
        got_request_exception.connect(self._raised, weak=False)
        for name in LOGGERS:
            logging.getLogger(name).addHandler(self)

    def enter(
        self, status: int | None, asked: str, error: BaseException | str, *, routed: bool = True
    ) -> None:
        """Writes each kind of error once a place; never raises."""
        if len(self._known) >= MOST:
            return
        place = "" if isinstance(error, str) else _place(walk_tb(error.__traceback__))
        text = what = error if isinstance(error, str) else type(error).__name__
        key = (status, what, place)
        if key in self._known:
            return
        self._known.add(key)
        if not isinstance(error, str):
            with suppress(Exception):  # a project's own error
                text = f"{what}: {error}"
        message = " ".join(text.split())[:LONGEST].rstrip(": ")
        entry = Error(
            status=status, asked=asked[:LONGEST], message=message, place=place, routed=routed
        )
        line = json.dumps(dataclasses.asdict(entry)).encode() + b"\n"
        # A full disk, or another user's folder: the response stays.
        with suppress(OSError), open(self._path, "ab", buffering=0, opener=as_private) as file:
            if file.tell() < MOST_BYTES:
                file.write(line)

    def escaped(self, method: str, path: str, error: Exception) -> None:
        """An error that Django did not turn into a response: one in code around Django."""
        self.enter(500, f"{method} {path}", error)

    def denied(self, scope: dict[str, Any]) -> None:
        """A handshake being refused now by code on the stack; recorded once a path."""
        path = str(scope.get("path", ""))
        if path not in self._denied and len(self._denied) < MOST:
            self._denied.add(path)
            self.enter(DENIED, f"{SOCKET} {path}", who_refused(scope))

    def _raised(self, sender: object, request: Any = None, **named: object) -> None:
        if (error := sys.exc_info()[1]) is not None:
            self.enter(500, _asked(request), error)

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(record, "status_code", None) in REFUSED:
            try:
                self._refused(record)
            except Exception:  # noqa: BLE001 - as logging's own: the answer stays what it is
                self.handleError(record)

    def _refused(self, record: logging.LogRecord) -> None:
        status, request = getattr(record, "status_code", None), getattr(record, "request", None)
        what = (record.exc_info and record.exc_info[1]) or record.getMessage()
        if status != LOST:
            self.enter(status, _asked(request), what)
            return
        path, view = getattr(request, "path", ""), ""
        if path in self._lost or len(self._lost) >= MOST // 2:  # leaves room for errors
            return
        self._lost.add(path)
        if request is not None:
            with suppress(Resolver404):
                view = resolve(request.path_info, getattr(request, "urlconf", None))._func_path
        says = f"{view} is routed there and answers so" if view else NOT_ROUTED
        if view and getattr(request, "resolver_match", None) is None:
            says = f"a middleware answers so before {view}; if it goes by the host, give --host"
        self.enter(status, _asked(request), says, routed=bool(view))


def _asked(request: Any) -> str:
    return f"{getattr(request, 'method', '')} {getattr(request, 'path', '')}"
