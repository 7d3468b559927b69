"""Messages that await an answer, and which of them an answer belongs to.

Nothing is paired by chance: the journey says which message is an answer, and an answer arrives
after its message was sent. So no time can be negative.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.load.client.target import Begun
from benchsuite.load.client.websocket.records import Content

Matching = str | bytes | int | Mapping[str, Any] | Callable[[Content], object]


def predicate(matching: Matching) -> Callable[[Content], bool]:
    """Whether a message is meant by `matching`; raises UsageError for what says nothing."""
    if callable(matching):
        asked = matching
        return lambda content: bool(asked(content))
    if isinstance(matching, int):
        matching = {"id": matching}
    if not isinstance(matching, (str, bytes, Mapping)) or not matching:
        raise UsageError(
            "matching says which message is the answer: by a text that stands in it, by an id or "
            f"other values of its JSON ({{'id': 7}}), or by a function; {matching!r} is none."
        )
    if isinstance(matching, Mapping):
        values = matching
        return lambda content: _has(values, _decoded(content))
    text = matching.encode() if isinstance(matching, str) else matching
    return lambda content: text in (content.encode() if isinstance(content, str) else content)


def identifies(matching: Matching) -> bool:
    """Whether it also identifies the message that is answered, because both contain it."""
    return not callable(matching)


def _decoded(content: Content) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _has(values: Mapping[str, Any], content: Any) -> bool:
    """Whether an object has these values; inner objects may have more."""
    return isinstance(content, dict) and all(
        name in content
        and (
            _has(value, content[name])
            if isinstance(value, Mapping)
            else type(content[name]) is type(value) and content[name] == value
        )
        for name, value in values.items()
    )


@dataclass(frozen=True, slots=True, eq=False)
class Exchange:
    """A message that was sent and awaits its answer."""

    begun: Begun
    content: Content
    length: int  #: In bytes, as sent.
    sent: float  #: When it had been handed to the kernel or our queue.


class Exchanges:
    """Those of one connection, in the order of sending."""

    def __init__(self) -> None:
        self._waiting: list[Exchange] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, exchange: Exchange) -> None:
        self._waiting.append(exchange)

    def remove(self, exchange: Exchange) -> None:
        self._waiting.remove(exchange)

    def take_all(self) -> list[Exchange]:
        taken, self._waiting = self._waiting, []
        return taken

    def answered_by(self, matching: Matching, to: Exchange | None = None) -> Exchange | None:
        """The message that such an answer belongs to; None when none awaits an answer.

        Raises UsageError when it may belong to several.
        """
        if to is not None:
            if to not in self._waiting:
                raise UsageError("The message that is to be answered has its answer already.")
            return to
        waiting = self._waiting
        if len(waiting) > 1 and identifies(matching):
            is_meant = predicate(matching)
            waiting = [exchange for exchange in waiting if is_meant(exchange.content)]
        if len(waiting) == 1 or not self._waiting:
            return waiting[0] if waiting else None
        raise UsageError(
            f"{len(self._waiting)} messages wait for an answer, and {matching!r} may belong to any "
            "of them: say which, with to= and what send() returned."
        )
