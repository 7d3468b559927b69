"""What an agent and a command tell each other: JSON, taken only where its fields are of their kind.

A command sends clock…, watch, more…, until, drop; or, to be made there, run, listen…, stop, fetch…,
drop. Each but stop and drop is answered, or refused.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

from benchsuite.core.plain import parsed, plain
from benchsuite.load.hosts.wire import Fields, checked
from benchsuite.system.procfs import read_text

NOBODY = "none"  #: In place of the address of an agent: what is asked is made where it is asked.

FROM_COMMAND: Mapping[str, Fields] = {
    "clock": {"number": int},
    "watch": {"version": str, "pid": int, "kernel": str},
    "more": {"start": int},  #: The readings from that one on.
    "until": {"begin": float, "end": float},  #: The load is over; its window, by the agent's clock.
    "run": {"version": str, "name": str, "words": list},
    "listen": {"start": int},  #: To what it writes, from that byte on.
    "stop": {},
    "fetch": {"start": int},  #: Its runs, from that character on.
    "drop": {},
}
FROM_AGENT: Mapping[str, Fields] = {
    "refused": {"why": str},
    "clock": {"number": int, "at": float},
    "watching": {"name": str, "watches": str, "kernel": str, "facts": dict},
    "readings": {"start": int, "readings": list},
    "seen": {"seen": dict},  #: A `core.observations.Seen`.
    "running": {"port": int},  #: At which it waits for its load host.
    "said": {"start": int, "text": str, "next": int, "ended": int, "status": int},
    "runs": {"start": int, "runs": str},
}


def packed(kind: str, **fields: Any) -> bytes:
    return json.dumps(plain({"kind": kind, **fields})).encode()


def unpacked(frames: list[bytes], kinds: Mapping[str, Fields]) -> dict[str, Any]:
    """Raises BenchsuiteError for what is no message of one of these kinds."""
    return checked(parsed(b"".join(frames).decode(errors="replace")), kinds)


def kernel() -> str:
    """Equal for programs that see each other's processes."""
    boot = read_text("/proc/sys/kernel/random/boot_id").strip()
    return f"{boot} {os.readlink('/proc/self/ns/pid')}"
