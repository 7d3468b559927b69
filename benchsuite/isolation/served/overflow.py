"""Messages that the channel layers of this process drop because a channel is full.

Layers don't report it: channels_redis only logs what `group_send` drops, at INFO; the in-memory
layer is silent; and a channels_redis process whose own queue is full drops its oldest message.
"""

import logging
import sys
from collections.abc import Callable
from typing import Any

PREFIX = "left-out-"  #: Of the files in which processes count them.
REDIS = "channels_redis.core"
OVER_CAPACITY = "channels over capacity in group"
"""Part of the log message, whose first argument is their number."""


class Overflow:
    """Costs one comparison a message from Redis, and nothing else until a channel is full."""

    def __init__(self, add: Callable[[], None]) -> None:
        self._add = add
        self._watched: set[str] = set()

    def watch(self) -> None:
        """Hooks into the layers imported by now; may be called repeatedly."""
        for name, look in (("channels.exceptions", self._refusals), (REDIS, self._redis)):
            module: Any = sys.modules.get(name)
            if module is not None and name not in self._watched:
                self._watched.add(name)
                look(module)

    def _refusals(self, exceptions: Any) -> None:
        """`send` raises ChannelFull, also inside a `group_send` that catches it."""
        add, made = self._add, exceptions.ChannelFull.__init__

        def counted(error: Exception, *arguments: object) -> None:
            add()
            made(error, *arguments)

        exceptions.ChannelFull.__init__ = counted

    def _redis(self, core: Any) -> None:
        add, queue = self._add, getattr(core, "BoundedQueue", None)
        if queue is not None:
            put = queue.put_nowait

            def counted(self: Any, item: object) -> None:
                if self.full():
                    add()
                put(self, item)

            queue.put_nowait = counted
        logger = logging.getLogger(REDIS)
        least = logging.CRITICAL + 1 if logger.disabled else logger.getEffectiveLevel()
        logger.addFilter(_Heard(add, least))
        logger.disabled = False
        logger.setLevel(min(least, logging.INFO))


class _Heard(logging.Filter):
    """Counts, and passes on what the project would have logged anyway."""

    def __init__(self, add: Callable[[], None], least: int) -> None:
        super().__init__()
        self._add = add
        self._least = least

    def filter(self, record: logging.LogRecord) -> bool:
        if OVER_CAPACITY in str(record.msg) and isinstance(record.args, tuple):
            for _ in range(int(str(record.args[0]))):
                self._add()
        return record.levelno >= self._least
