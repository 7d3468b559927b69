"""What a sampling profiler saw: stacks of calls and how often each was met. Pure functions.

A call is "name (file:line)", where the function begins; a stack has the outermost call first.
"""

import base64
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

Stack = tuple[str, ...]
Stacks = Mapping[Stack, int]  #: Stack → samples.
MOST_CALLS = 2000  #: Of the tree of calls, outermost first: what is rarer is put together.
MOST_BYTES = 64 * 2**20  #: Of the stacks of a profile, as text.
DEEPEST = 150
RARE, DEEPER = "(rare calls)", "(deeper calls)"
PROCESS = re.compile(r'^(?:process \d+:".*?";)+', re.MULTILINE | re.DOTALL)
"""How py-spy names processes where it looks at several: number and command line."""


@dataclass(frozen=True, slots=True)
class Function:
    """Samples of a function."""

    call: str
    own: int  #: In its own code.
    total: int  #: With what it calls.
    passed: int = 0  #: Of these, in the function to which it passes most.


@dataclass(frozen=True, slots=True)
class Box:
    """One call of a flame graph, from `start` on as wide as its samples."""

    path: Stack
    start: int
    samples: int


def parsed(text: str, renamed: Callable[[str], str] = str) -> Counter[Stack]:
    """Collapsed stacks ("a;b;c 12" a line) of all processes together."""
    stacks: Counter[Stack] = Counter()
    for line in PROCESS.sub("", text).split("\n"):
        calls, _, count = line.rpartition(" ")
        if calls and count.isdecimal():
            stacks[tuple(renamed(call) for call in calls.split(";"))] += int(count)
    return stacks


def folded(stacks: Stacks) -> tuple[Counter[Stack], int]:
    """The same, bounded in size, and the samples that a call has at least to stand for itself."""
    sums: Counter[Stack] = Counter()
    for stack, count in stacks.items():
        sums[(*stack[:DEEPEST], DEEPER) if len(stack) > DEEPEST else stack] += count
    totals: Counter[Stack] = Counter()
    for stack, count in sums.items():
        for depth in range(1, len(stack) + 1):
            totals[stack[:depth]] += count
    ordered = sorted(totals.values(), reverse=True)
    least = ordered[MOST_CALLS] + 1 if len(ordered) > MOST_CALLS else 1
    bounded: Counter[Stack] = Counter()
    for stack, count in sums.items():
        depth = len(stack)
        while depth and totals[stack[:depth]] < least:
            depth -= 1
        bounded[stack if depth == len(stack) else (*stack[:depth], RARE)] += count
    return bounded, least


def packed(stacks: Stacks) -> str:
    """As text that is short to store."""
    lines = sorted(f"{';'.join(stack)} {count}" for stack, count in stacks.items())
    return base64.b64encode(zlib.compress("\n".join(lines).encode(), 9)).decode()


def unpacked(text: str) -> Counter[Stack]:
    """The stacks of `packed`; raises ValueError for anything else."""
    try:
        unpacking = zlib.decompressobj()
        lines = unpacking.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
        if not unpacking.eof:
            raise ValueError(f"it is cut off, or more than {MOST_BYTES} bytes")
        return parsed(lines.decode())
    except (ValueError, zlib.error) as error:
        raise ValueError(f"{text[:20]!r} … are no packed stacks: {error}") from error


def functions(stacks: Stacks) -> list[Function]:
    """All of them, most samples of their own first; a recursion counts once a stack."""
    own: Counter[str] = Counter()
    total: Counter[str] = Counter()
    pairs: Counter[Stack] = Counter()
    for stack, count in stacks.items():
        own[stack[-1]] += count
        for call in dict.fromkeys(stack):
            total[call] += count
        for pair in dict.fromkeys(pairwise(stack)):
            pairs[pair] += count
    passed = {caller: count for (caller, _), count in reversed(pairs.most_common())}
    listed = [Function(call, own[call], n, passed.get(call, 0)) for call, n in total.items()]
    return sorted(listed, key=lambda function: (-function.own, -function.total, function.call))


def nearest(stacks: Stacks, wanted: Callable[[str], object]) -> Counter[str]:
    """To each wanted call the samples of which it is the innermost such."""
    callers: Counter[str] = Counter()
    for stack, count in stacks.items():
        call = next((one for one in reversed(stack) if wanted(one)), None)
        if call is not None:
            callers[call] += count
    return callers


def boxes(stacks: Stacks) -> Iterator[Box]:
    """Of each call in its place one box, beside and inside each other as the calls were."""
    at, path, starts = 0, Stack(), list[int]()

    def closed(depth: int) -> Iterator[Box]:
        while len(starts) > depth:
            start = starts[-1]
            yield Box(path[: len(starts)], start, at - start)
            starts.pop()

    for stack in sorted(stacks):
        same = 0
        while same < min(len(path), len(stack)) and path[same] == stack[same]:
            same += 1
        yield from closed(same)
        path = stack
        starts += [at] * (len(stack) - same)
        at += stacks[stack]
    yield from closed(0)


def words(call: str) -> tuple[str, str]:
    """The name of a function and its place, "shop/views.py:12", which may be empty."""
    name, _, place = call.partition(" (") if not call.startswith("(") else (call, "", "")
    return name, place.removesuffix(")")
