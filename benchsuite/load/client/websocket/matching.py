"""Which message is the answer: a text that stands in it, values of its JSON, or a predicate."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.load.client.websocket.endings import Content

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


def _has(values: Mapping[str, Any], found: Any) -> bool:
    """Whether an object has these values; inner objects may have more."""
    return isinstance(found, dict) and all(
        name in found
        and (
            _has(value, found[name])
            if isinstance(value, Mapping)
            else type(found[name]) is type(value) and found[name] == value
        )
        for name, value in values.items()
    )
