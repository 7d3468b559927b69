"""What an agent and a command tell each other: JSON, taken only where its fields are of their kind.

command → agent    hello, clock…, watch, more…, until, drop
agent → command    hello, clock…, watching, readings…, seen; refused in place of any
"""

import json
import os
from collections.abc import Mapping
from typing import Any

from benchsuite.core.exceptions import BenchsuiteError, LoadError
from benchsuite.core.plain import parsed
from benchsuite.load.hosts.wire import MOST_BYTES, Fields, checked
from benchsuite.system.procfs import read_text

FROM_COMMAND: Mapping[str, Fields] = {
    "hello": {"version": str, "pid": int, "kernel": str},
    "clock": {"number": int},
    "watch": {},
    "more": {"start": int},  #: The readings from that one on.
    "until": {"begin": float, "end": float},  #: The load is over; its window, by the agent's clock.
    "drop": {},
}
FROM_AGENT: Mapping[str, Fields] = {
    "hello": {"name": str, "watches": str, "kernel": str},
    "refused": {"why": str},
    "clock": {"number": int, "at": float},
    "watching": {"facts": str},  #: Of the machine and the target's limits.
    "readings": {"start": int, "readings": str},
    "seen": {"seen": str},  #: A `core.observations.Seen`.
}
MOST_READINGS = 1000  #: In one message.


def packed(kind: str, **fields: Any) -> bytes:
    return json.dumps({"kind": kind, **fields}).encode()


def unpacked(frames: list[bytes], kinds: Mapping[str, Fields]) -> dict[str, Any]:
    """Raises LoadError for what is no message of one of these kinds."""
    if len(frames) != 1 or len(frames[0]) > MOST_BYTES:
        raise LoadError("What came is no message.")
    try:
        return checked(parsed(frames[0].decode()), kinds)
    except UnicodeDecodeError as error:
        raise LoadError("What came is no text.") from error
    except BenchsuiteError as error:
        raise LoadError(str(error)) from error


def kernel() -> str:
    """Equal for programs that see each other's processes."""
    return (
        f"{read_text('/proc/sys/kernel/random/boot_id').strip()} {os.readlink('/proc/self/ns/pid')}"
    )
