"""What a diagnostic start sees of each page: queries with the line that makes them (verb and table,
never a value), the time of connections, and pauses of the garbage collector. A start that counts
loads nothing of it. Each process writes its account beside the instructions.
"""

import gc
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from traceback import walk_stack
from typing import Any
from weakref import WeakKeyDictionary
from zlib import crc32

from asgiref.sync import iscoroutinefunction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.decorators import sync_and_async_middleware

from benchsuite.isolation.instructions import beside
from benchsuite.isolation.served.errors import is_the_projects, short
from benchsuite.system.folders import replace_private

PREFIX = "diagnosis-"  #: Of the files in which processes keep their accounts.
EVERY_S = 0.3  #: Between two writings: the last requests may be missing.
MOST_SHAPES = 200  #: Queries of a page that are told apart.
COUNTED = ("requests", "request_s", "queries", "query_s", "connections", "connecting_s")
VERB = re.compile(r"\s*(\w+)")
TABLE = re.compile(r"\b(?:FROM|INTO|UPDATE)\s+([\w.\"`\[\]]+)", re.IGNORECASE)
HANDLERS = f"{os.sep}django{os.sep}core{os.sep}handlers{os.sep}"  #: Call views and middleware.
BETWEEN = (f"{os.sep}django{os.sep}db{os.sep}", f"{os.sep}isolation{os.sep}served{os.sep}")
"""Code that lies between a query and who makes it."""
Get = Callable[[HttpRequest], Any]
Shape = tuple[str, str, int]


@dataclass(slots=True)
class Page:
    """All requests of one page in this process; times in seconds."""

    name: str = ""  #: Of a single request, once it was answered.
    requests: int = 1
    request_s: float = 0.0
    queries: int = 0
    query_s: float = 0.0
    connections: int = 0
    connecting_s: float = 0.0  #: Opening and closing connections.
    shapes: dict[Shape, list[float]] = field(default_factory=dict)
    """Query in words, line, and number of its text → how many, and how long with the ORM's part."""
    orm_s: float = 0.0  #: Making SQL of querysets, and objects of rows.
    first: Shape | None = None  #: Of the queries of the innermost queryset.


@dataclass(slots=True)
class Account:
    """What one process has seen."""

    path: Path
    pages: dict[str, Page] = field(default_factory=dict)
    paused_s: float = 0.0  #: CPU time, as `cpu_s` is; the longest is by the clock.
    longest_pause_s: float = 0.0
    cpu_before_s: float = field(default_factory=time.process_time)
    written_at: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, name: str, seen: Page) -> None:
        """Adds a request, or what a thread is at after the answer; writes now and then."""
        with self.lock:
            page = self.pages.setdefault(name, Page(requests=0))
            for key in COUNTED:
                setattr(page, key, getattr(page, key) + getattr(seen, key))
            for shape, (times, seconds) in seen.shapes.items():
                if shape in page.shapes or len(page.shapes) < MOST_SHAPES:
                    known = page.shapes.setdefault(shape, [0, 0.0])
                    known[0] += times
                    known[1] += seconds
            if time.monotonic() - self.written_at >= EVERY_S:
                self.write()

    def write(self) -> None:
        """In one step, so that nobody reads half of it."""
        self.written_at = time.monotonic()
        data = {
            "pages": {
                name: {
                    **{key: getattr(page, key) for key in COUNTED},
                    "shapes": [[*shape, *known] for shape, known in page.shapes.items()],
                }
                for name, page in self.pages.items()
            },
            "paused_s": self.paused_s,
            "longest_pause_s": self.longest_pause_s,
            "cpu_s": time.process_time() - self.cpu_before_s,
        }
        with suppress(OSError):  # a full disk, or another user's folder: the answer stays
            replace_private(self.path, json.dumps(data))


_request: ContextVar[Page | None] = ContextVar("benchsuite_diagnosed", default=None)
_accounts: dict[int, Account] = {}  #: By PID, because processes fork.
_opened_by: WeakKeyDictionary[BaseDatabaseWrapper, Page] = WeakKeyDictionary()
"""The request that opened a connection."""
_paused_at = 0.0, 0.0  #: By the clock, and in CPU time of the thread.


@sync_and_async_middleware
def diagnosed(get_response: Get) -> Get:
    """Django's middleware around all others."""
    if not getattr(BaseDatabaseWrapper.connect, "is_watched", False):
        _watch_connections()
        _watch_querysets()
    if _collected not in gc.callbacks:
        gc.callbacks.append(_collected)
    if iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> Any:
            with _timed(request):
                return await get_response(request)

        return asynchronous

    def synchronous(request: HttpRequest) -> Any:
        with _timed(request):
            return get_response(request)

    return synchronous


@contextmanager
def _timed(request: HttpRequest) -> Iterator[None]:
    account, page = _account(), Page()
    token = _request.set(page)
    begin = time.perf_counter()
    try:
        yield
    finally:
        page.request_s = time.perf_counter() - begin
        _request.reset(token)
        match = request.resolver_match
        route = f"/{match.route.removeprefix('^')}" if match and match.route else request.path
        page.name = f"{request.method} {route}"
        account.add(page.name, page)


def _account() -> Account:
    pid = os.getpid()
    if pid not in _accounts:
        _accounts[pid] = Account(beside(f"{PREFIX}{pid}.json"))
    return _accounts[pid]


def _watch_connections() -> None:
    """Connections tell of their queries, and how long they took to open and, later, to close."""
    connect, close = BaseDatabaseWrapper.connect, BaseDatabaseWrapper.close

    def watched(self: BaseDatabaseWrapper) -> None:
        begin = time.perf_counter()
        connect(self)
        if (page := _request.get()) is not None:
            page.connections += 1
            page.connecting_s += time.perf_counter() - begin
            _opened_by[self] = page
        if _query not in self.execute_wrappers:
            self.execute_wrappers.insert(0, _query)  # blocks of the project remove the last one

    def watched_close(self: BaseDatabaseWrapper) -> None:
        begin = time.perf_counter()
        close(self)
        took_s = time.perf_counter() - begin
        if (page := _request.get()) is not None:
            page.connecting_s += took_s
        elif (opened_by := _opened_by.pop(self, None)) is not None and opened_by.name:
            _account().add(opened_by.name, Page(requests=0, request_s=took_s, connecting_s=took_s))

    watched.is_watched = True  # type: ignore[attr-defined]
    BaseDatabaseWrapper.connect = watched  # type: ignore[method-assign]
    BaseDatabaseWrapper.close = watched_close  # type: ignore[method-assign]


def _query(execute: Callable[..., Any], sql: Any, *rest: Any) -> Any:
    """As `connection.execute_wrapper` wants it."""
    page = _request.get()
    if page is None:
        return execute(sql, *rest)
    begin = time.perf_counter()
    try:
        return execute(sql, *rest)
    finally:
        seconds = time.perf_counter() - begin
        text = str(sql)
        shape = words(text), line(), crc32(text.encode())
        known = page.shapes.setdefault(shape, [0, 0.0])
        known[0] += 1
        known[1] += seconds
        page.first = page.first or shape
        page.queries += 1
        page.query_s += seconds


def _watch_querysets() -> None:
    """What the ORM does for a query counts with it: that is what repeating it costs."""
    fetch = QuerySet._fetch_all

    def watched(self: QuerySet[Any]) -> None:
        page = _request.get()
        if page is None:
            fetch(self)
            return
        outer, page.first = page.first, None
        counted_s = page.query_s + page.orm_s
        begin = time.perf_counter()
        try:
            fetch(self)
        finally:
            if page.first is not None:
                own_s = time.perf_counter() - begin - (page.query_s + page.orm_s - counted_s)
                page.orm_s += own_s
                page.shapes[page.first][1] += own_s
            page.first = outer or page.first

    QuerySet._fetch_all = watched  # type: ignore[method-assign]


def words(sql: str) -> str:
    """Verb and table of a query: "SELECT shop_product"."""
    verb, table = VERB.match(sql), TABLE.search(sql)
    name = table[1].translate({ord(one): None for one in '"`[]'}) if table else ""
    return f"{verb[1].upper() if verb else '?'} {name}".strip()


def line() -> str:
    """The nearest line of the project's code or templates that makes it, else beyond the ORM."""
    nearest = ""
    for frame, number in walk_stack(sys._getframe(1)):
        code = frame.f_code
        if HANDLERS in code.co_filename:  # who called that makes no query
            return nearest or f"{short(code.co_filename)}:{number}"
        if code.co_name == "render_annotated" and (node := frame.f_locals.get("self")):
            name = getattr(getattr(node, "origin", None), "template_name", None) or "a template"
            return f"{name}:{getattr(getattr(node, 'token', None), 'lineno', '?')}"
        here = f"{short(code.co_filename)}:{number}"
        if is_the_projects(code.co_filename):
            return here
        if not nearest and not any(part in code.co_filename for part in BETWEEN):
            nearest = here
    return nearest


def _collected(phase: str, info: Mapping[str, int]) -> None:
    global _paused_at
    if phase == "start":
        _paused_at = time.perf_counter(), time.thread_time()
    elif (account := _accounts.get(os.getpid())) is not None:
        took_s, cpu_s = time.perf_counter() - _paused_at[0], time.thread_time() - _paused_at[1]
        account.paused_s += cpu_s
        account.longest_pause_s = max(account.longest_pause_s, took_s)


def read(instructions: Path) -> list[dict[str, Any]]:
    """The accounts of the servers with those instructions."""
    files = instructions.parent.glob(f"{PREFIX}*.json")
    return [json.loads(path.read_text()) for path in sorted(files)]
