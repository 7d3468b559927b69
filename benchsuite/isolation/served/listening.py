"""Records in the measured server why a page failed and who refused a WebSocket handshake."""

import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

from django.core.signals import got_request_exception
from django.urls import Resolver404, resolve

from benchsuite.isolation.served.errors import DENIED, LOADING, MOST, SOCKET, Book

ITS_OWN = ("channels", "django", "asgiref", "benchsuite")
"""Packages between a project's refusal and the server; the project's own code is named."""


def who_refused(scope: dict[str, Any]) -> str:
    """Names the code that is sending the refusal; a sync consumer, which sends from another
    thread, is not seen.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        sender = frame.f_locals.get("self")
        allowed = getattr(sender, "allowed_origins", None)
        if allowed is not None:
            return (
                f"{type(sender).__name__} refuses the Origin {_origin(scope)!r}, and allows "
                f"{', '.join(map(str, allowed)) or 'none'}"
            )
        package = type(sender).__module__.partition(".")[0]
        if getattr(sender, "scope", None) is not None and package not in ITS_OWN:
            return f"{type(sender).__module__}.{type(sender).__name__} refuses it{_visitor(scope)}"
        frame = frame.f_back
    return f"the application refuses it{_visitor(scope)}"


def _origin(scope: dict[str, Any]) -> str:
    origins = (value for name, value in scope.get("headers", ()) if name.lower() == b"origin")
    return bytes(next(origins, b"")).decode("latin-1")


def _visitor(scope: dict[str, Any]) -> str:
    """Whether a user is signed in, where the project checks; never triggers the look-up."""
    try:
        signed_in = bool(scope["user"].is_authenticated)
    except Exception:  # noqa: BLE001 - there is no user, or it is of the project's own making
        return ""
    return ", and a user is signed in" if signed_in else ", and nobody is signed in (--login=USER)"


NOT_ROUTED = "no URL pattern of the project matches"

LOST = 404
REFUSED = (400, 403, LOST)
LONG_S = 4.0  #: After so long, and as often, it is written down where a project is that is loaded.
LOGGERS = (
    "django.request",
    "django.security",
    "django.security.csrf",
    "django.security.DisallowedHost",
    "django.security.SuspiciousOperation",
)
"""Listed one by one, because a project may stop propagation. Disabled loggers stay disabled;
levels stay as they are."""


class Listener:
    """Costs nothing until something fails."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._denied: set[str] = set()
        self._lost: set[str] = set()

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Records errors while the project is loaded, then starts listening."""
        loaded = threading.Event()
        look = partial(_look, threading.get_ident(), loaded, Book(self._book.path))
        watch = threading.Thread(target=look, daemon=True)
        watch.start()
        try:
            yield
        except BaseException as error:
            self._book.enter(None, "", error)
            raise
        finally:
            loaded.set()
            watch.join()  # before the server forks
        got_request_exception.connect(self._raised, weak=False)
        for name in LOGGERS:
            logging.getLogger(name).addHandler(_Refusals(self._refused))

    def escaped(self, method: str, path: str, error: Exception) -> None:
        """An error that Django did not turn into a response: one in code around Django."""
        self._book.enter(500, f"{method} {path}", error)

    def denied(self, scope: dict[str, Any]) -> None:
        """A handshake being refused now by code on the stack; recorded once a path."""
        path = str(scope.get("path", ""))
        if path not in self._denied and len(self._denied) < MOST:
            self._denied.add(path)
            self._book.enter(DENIED, f"{SOCKET} {path}", who_refused(scope))

    def _raised(self, sender: object, request: Any = None, **named: object) -> None:
        error = sys.exc_info()[1]
        if error is not None:
            self._book.enter(500, _asked(request), error)

    def _refused(self, record: logging.LogRecord) -> None:
        status, request = getattr(record, "status_code", None), getattr(record, "request", None)
        what = (record.exc_info and record.exc_info[1]) or record.getMessage()
        if status == LOST:
            path = getattr(request, "path", "")
            if path in self._lost or len(self._lost) >= MOST // 2:  # leaves room for errors
                return
            self._lost.add(path)
            view = _routed(request)
            says = f"{view} is routed there and answers so" if view else NOT_ROUTED
            self._book.enter(status, _asked(request), says, routed=bool(view))
            return
        self._book.enter(status, _asked(request), what)


def _look(thread: int, loaded: threading.Event, book: Book) -> None:
    """Writes down where a project is that isn't loaded yet, be it in an import or in `ready()`."""
    while not loaded.wait(LONG_S):
        book.enter(None, LOADING, "still being loaded", sys._current_frames().get(thread))


class _Refusals(logging.Handler):
    """Django's 400, 403 and 404 responses have no signal and are only logged."""

    def __init__(self, tell: Callable[[logging.LogRecord], None]) -> None:
        super().__init__(logging.WARNING)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(record, "status_code", None) not in REFUSED:
            return
        try:
            self._tell(record)
        except Exception:  # noqa: BLE001 - as logging's own: the answer stays what it is
            self.handleError(record)


def _routed(request: Any) -> str:
    """The view by whose word a page is missing; empty where nothing is routed there."""
    try:
        return resolve(request.path_info, getattr(request, "urlconf", None))._func_path
    except Resolver404:
        return ""


def _asked(request: Any) -> str:
    return f"{getattr(request, 'method', '')} {getattr(request, 'path', '')}"
