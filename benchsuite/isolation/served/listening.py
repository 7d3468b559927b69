"""Records in the measured server why a page failed, whatever and wherever the project logs."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.signals import got_request_exception

from benchsuite.isolation.served import denials
from benchsuite.isolation.served.errors import DENIED, MOST, SOCKET, Book

REFUSED = (400, 403)
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

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Records errors while the project is loaded, then starts listening."""
        try:
            yield
        except BaseException as error:
            self._book.enter(None, "", error)
            raise
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
            self._book.enter(DENIED, f"{SOCKET} {path}", denials.who(scope))

    def _raised(self, sender: object, request: Any = None, **named: object) -> None:
        error = sys.exc_info()[1]
        if error is not None:
            self._book.enter(500, _asked(request), error)

    def _refused(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self._book.enter(
            getattr(record, "status_code", None),
            _asked(getattr(record, "request", None)),
            error or record.getMessage(),
        )


class _Refusals(logging.Handler):
    """Django's 400 and 403 responses have no signal and are only logged."""

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


def _asked(request: Any) -> str:
    return f"{getattr(request, 'method', '')} {getattr(request, 'path', '')}"
