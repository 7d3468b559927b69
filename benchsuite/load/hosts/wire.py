"""What load hosts and their master tell each other, and how each checks what it is told.

Every message of ours is a mapping with its kind, sent by Locust's rpc (msgpack). The peer has the
key, but what it sends is taken only if its fields are those of its kind, of their types, and no
larger than they may be.
"""

import hashlib
import platform
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchsuite import __version__
from benchsuite.core.exceptions import LoadError
from benchsuite.core.samples import RECORD
from benchsuite.load.job import Done
from benchsuite.stats.summary import DTYPE, Samples

OURS = "benchsuite"  #: Type of our messages among Locust's.
MOST_BYTES = 8_000_000  #: Of one message.
CHUNK = 50_000  #: Samples in one message.
PIECE = 4_000_000  #: Bytes of figures in one message.
MOST_OF_FIGURES = 200_000_000  #: Bytes of a host's figures, unpacked.
LARGEST = 2**62
SENT_S = 0.2  #: ZeroMQ sends on a thread of its own.

Fields = Mapping[str, type]
FROM_HOST: Mapping[str, Fields] = {
    "join": {"benchsuite": str, "python": str, "name": str, "cpus": int},
    "leave": {"why": str},
    "clock": {"number": int, "at": float},
    "event": {"run": int, "line": str},  #: As a load process writes them, see `load.job`.
    "measured": {"run": int, "start": int, "total": int, "names": str, "packed": bytes},
}
FROM_MASTER: Mapping[str, Fields] = {
    "refused": {"why": str},
    "clock": {"number": int},
    "job": {
        "run": int,
        "job": str,
        "source": str,  #: Of a locustfile, or empty.
        "sha256": str,  #: Of the module of a workload that isn't ours.
    },
    "order": {"run": int, "line": str},
    "take": {"run": int, "start": int},  #: The samples from that one on, one message of them.
    # the figures of its part of that window, in seconds since its begin, from that byte on
    "add up": {"run": int, "start": int, "begin": float, "end": float},
    "drop": {"run": int},
    "bye": {},
}


def checked(data: object, kinds: Mapping[str, Fields]) -> dict[str, Any]:
    """A message of one of these kinds; raises LoadError for anything else."""
    kind = data.get("kind") if isinstance(data, dict) else None
    fields = kinds.get(kind) if isinstance(kind, str) else None
    if not isinstance(data, dict) or fields is None:
        raise LoadError("A message of no known kind came.")
    if set(data) != {"kind", *fields}:
        raise LoadError(f"A message {kind} with other fields than its own came.")
    for name, kind_of_field in fields.items():
        if not is_fit(data[name], kind_of_field):
            raise LoadError(f"A message {kind} came whose {name} can't be that.")
    return data


def is_fit(value: object, wanted: type) -> bool:
    """Whether a value has this type, and no size that nobody means."""
    if isinstance(value, bool):
        return False
    if wanted is float:
        return isinstance(value, int | float) and abs(value) <= LARGEST
    if not isinstance(value, wanted):
        return False
    if isinstance(value, int):
        return 0 <= value <= LARGEST
    return len(value) <= MOST_BYTES if isinstance(value, str | bytes) else True


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The event "done" of a host."""

    done: Done
    samples: int = 0
    late_s: float = 0.0  #: As `LoadHost` has them.
    busy_percent: float | None = None


def versions() -> dict[str, str]:
    """What must be the same on all hosts."""
    return {"benchsuite": __version__, "python": platform.python_version().rpartition(".")[0]}


def module_digest(path: str) -> str:
    """SHA-256 of the module of this class; empty for ours, whose version is compared already."""
    module, _, _ = path.rpartition(".")
    if module.startswith("benchsuite."):
        return ""
    try:
        spec = find_spec(module)
        source = Path(spec.origin).read_bytes() if spec and spec.origin else None
    except (ImportError, ValueError, OSError):
        source = None
    if source is None:
        raise LoadError(f"The workload {path} can't be imported there: install what has it.")
    return hashlib.sha256(source).hexdigest()


@dataclass(frozen=True, slots=True)
class Offset:
    """A monotonic clock of another host against ours, in seconds."""

    ahead: float
    error_s: float


Exchange = tuple[float, float, float]  #: (sent here, read there, received here).


def offset(exchanges: Sequence[Exchange]) -> Offset:
    """By the exchange with the shortest round trip: the clock was read between its ends."""
    sent, there, received = min(exchanges, key=lambda exchange: exchange[2] - exchange[0])
    return Offset(there - (sent + received) / 2, (received - sent) / 2)


def converted(done: Done, there: float, here: float) -> Done:
    """The end of a load with all its moments by our clock, where both name its begin."""

    def ours(moment: float) -> float:
        # to the nanosecond, so that what was computed as begin plus a time is exactly that again:
        # windows and schedules are compared with each other
        return here + round(moment - there, 9)

    begin, end = done.window
    return replace(
        done,
        origin=ours(done.origin),
        window=(ours(begin), ours(end)),
        users=tuple((ours(moment), count) for moment, count in done.users),
        connections=tuple((ours(moment), count) for moment, count in done.connections),
    )


WHOLE = ("name", "kind", "process", "user", "body_bytes")
TIMES = ("intended_start", "start", "finish")
NS = 1e9


def pack(samples: Samples, there: float) -> bytes:
    """Samples, compressed: column by column, times in nanoseconds from the one before."""
    intended, start, finish = (np.rint((samples[name] - there) * NS) for name in TIMES)
    times = (np.diff(intended, prepend=0), start - intended, finish - start)
    columns = [samples[name] for name in WHOLE] + [time.astype("<i8") for time in times]
    return zlib.compress(b"".join(column.tobytes() for column in columns), 1)


def inflated(packed: bytes, most: int) -> bytes:
    """At most so many bytes; raises LoadError where there are more, or what isn't packed."""
    inflating = zlib.decompressobj()
    try:
        unpacked = inflating.decompress(packed, most)
    except zlib.error as error:
        raise LoadError(f"What came can't be unpacked: {error}.") from error
    if not inflating.eof:
        raise LoadError(f"More than {most} bytes came, or only a part of what was sent.")
    return unpacked


def unpack(packed: bytes, count: int, names: int, here: float) -> Samples:
    """So many samples of names below that number, with times by our clock; raises LoadError."""
    size = count * RECORD.size
    unpacked = inflated(packed, size + 1)
    if len(unpacked) != size:
        raise LoadError(f"{count} samples should have come, and others did.")
    samples = np.empty(count, DTYPE)
    place = 0
    for name in WHOLE:
        kind = DTYPE[name]
        samples[name] = np.frombuffer(unpacked, kind, count, place)
        place += count * kind.itemsize
    deltas = np.frombuffer(unpacked, "<i8", 3 * count, place).reshape(3, count)
    times = np.cumsum([np.cumsum(deltas[0]), *deltas[1:]], axis=0)
    for name, time in zip(TIMES, times, strict=True):
        samples[name] = here + time / NS
    if count and samples["name"].max() >= names:
        raise LoadError("A sample came of a name that nobody knows.")
    return samples
