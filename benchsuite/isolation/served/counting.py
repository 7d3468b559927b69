"""Counts of the measured server: requests, views, dropped messages; a file a process. A cell of
shared memory costs less than a microsecond, and outlives the process. Layers don't report dropped
messages: channels_redis only logs what `group_send` drops, the in-memory layer is silent, and a
full queue of a channels_redis process drops its oldest message.
"""

import logging
import mmap
import os
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from django.core.handlers.base import BaseHandler
from django.middleware.cache import CacheMiddleware

PREFIX = "asked-"  #: Of the files that count requests.
VIEWS_PREFIX, CACHED_PREFIX = "viewed-", "cached-"  #: Of those that count views.
OVERFLOW_PREFIX = "left-out-"  #: Of those that count dropped messages.
REDIS = "channels_redis.core"
OVER_CAPACITY = "channels over capacity in group"  #: Of a message; how many: its argument.
CELL = 8  #: Bytes of a 64-bit number in the order of the machine.


class Counter:
    """Counts for its own process, also after a fork. Threads may overtake each other between number
    and cell; the count is then one too low until the next request.
    """

    def __init__(self, path: Path) -> None:
        """What is added to the path is the name of the machine or container, and the process."""
        self._path = path
        self._mine: dict[int, tuple[memoryview, Iterator[int]]] = {}

    def add(self) -> None:
        pid = os.getpid()
        cell, numbers = self._mine.get(pid) or self._mine.setdefault(pid, self._made(pid))
        cell[0] = next(numbers)

    def _made(self, pid: int) -> tuple[memoryview, Iterator[int]]:
        """Where the file can't be written, for lack of permission, the count is lost."""
        try:
            with open(f"{self._path}{os.uname().nodename}-{pid}", "a+b", buffering=0) as file:
                file.truncate(CELL)
                cell = memoryview(mmap.mmap(file.fileno(), CELL)).cast("Q")
        except OSError:
            cell = memoryview(bytearray(CELL)).cast("Q")
        return cell, count(cell[0] + 1)


def read_counts(instructions: Path, prefix: str = PREFIX) -> int | None:
    """What the servers with those instructions have counted until now; None where none has."""
    cells = [path.read_bytes() for path in instructions.parent.glob(f"{prefix}*")]
    if not cells:
        return None
    return sum(int(memoryview(cell).cast("Q")[0]) for cell in cells if len(cell) == CELL)


def watch_views(view: Callable[[], None], cached: Callable[[], None]) -> None:
    """Calls `view` when one is due in later handlers, and `cached` when `cache_page` answers."""
    load, process = BaseHandler.load_middleware, CacheMiddleware.process_request

    def look(request: Any, *arguments: object) -> None:
        request.benchsuite_viewed = True
        view()

    async def look_later(*arguments: Any) -> None:
        look(*arguments)

    def loaded(handler: Any, is_async: bool = False) -> None:  # noqa: FBT001, FBT002 - Django's
        load(handler, is_async)
        handler._view_middleware.append(look_later if is_async else look)

    def processed(middleware: CacheMiddleware, request: Any) -> Any:
        answer = process(middleware, request)
        if answer is not None and hasattr(request, "benchsuite_viewed"):
            cached()
        return answer

    BaseHandler.load_middleware = loaded  # type: ignore[assignment, method-assign]
    CacheMiddleware.process_request = processed  # type: ignore[assignment, method-assign]


class Overflow:
    """Costs one comparison a message from Redis, and nothing else until a channel is full."""

    def __init__(self, add: Callable[[], None]) -> None:
        self._add = add
        self._awaited = {"channels.exceptions": _watch_refusals, REDIS: _watch_redis}

    def watch(self) -> None:
        """Hooks into the layers imported by now; may be called repeatedly."""
        for name in self._awaited.keys() & sys.modules.keys():
            self._awaited.pop(name)(sys.modules[name], self._add)


def _watch_refusals(exceptions: Any, add: Callable[[], None]) -> None:
    """`send` raises ChannelFull, also inside a `group_send` that catches it."""
    made = exceptions.ChannelFull.__init__

    def counted(error: Exception, *arguments: object) -> None:
        add()
        made(error, *arguments)

    exceptions.ChannelFull.__init__ = counted


def _watch_redis(core: Any, add: Callable[[], None]) -> None:
    queue = getattr(core, "BoundedQueue", None)
    if queue is not None:
        put = queue.put_nowait

        def counted(self: Any, item: object) -> None:
            if self.full():
                add()
            put(self, item)

        queue.put_nowait = counted
    logger = logging.getLogger(REDIS)
    least = logging.CRITICAL + 1 if logger.disabled else logger.getEffectiveLevel()

    def heard(record: logging.LogRecord) -> bool:
        """Counts, and passes on what the project would have logged anyway."""
        if OVER_CAPACITY in str(record.msg) and isinstance(record.args, tuple):
            for _ in range(int(str(record.args[0]))):
                add()
        return record.levelno >= least

    logger.addFilter(heard)
    logger.disabled = False
    logger.setLevel(min(least, logging.INFO))
