"""Does a server hold a rate? Asked by a client that shares no code with benchsuite's load.

    python -m benchmarks.tuning.hold http://127.0.0.1:8000/shop/ --rate 120 --within 0.2

Poisson arrivals on kept connections, one more wherever all of them wait; an answer counts from the
moment at which its request was planned. Prints how many of all that were planned got a right answer
in time.
"""

import argparse
import asyncio
import random
import statistics
import time
from contextlib import suppress
from urllib.parse import urlsplit

PATIENCE_S = 10.0  #: After which a request is given up.
WARM_S = 2.0  #: Arrivals that come before count for nothing.


class Client:
    """One page, asked over as many connections as it takes."""

    def __init__(self, url: str, status: int, headers: list[str]) -> None:
        parts = urlsplit(url)
        self.host, self.port = parts.hostname or "127.0.0.1", parts.port or 80
        path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        given = [f"Host: {parts.netloc}", *headers] if not _has_host(headers) else headers
        self.request = "\r\n".join([f"GET {path} HTTP/1.1", *given, "", ""]).encode()
        self.right = f" {status} ".encode()
        self.idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def ask(self) -> bool:
        """Whether the answer was right; once more where a kept connection had been closed."""
        while self.idle:
            kept = self.idle.pop()
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                return await self._ask(*kept)
        return await self._ask(*await asyncio.open_connection(self.host, self.port))

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        try:
            writer.write(self.request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            keeps = await _read_body(reader, head)
        except BaseException:
            writer.close()
            raise
        if keeps and b"connection: close" not in head:
            self.idle.append((reader, writer))
        else:
            writer.close()
        return self.right in head.partition(b"\r\n")[0] + b" "


def _has_host(headers: list[str]) -> bool:
    return any(header.lower().startswith("host:") for header in headers)


async def _read_body(reader: asyncio.StreamReader, head: bytes) -> bool:
    """Whether the connection may be used again."""
    fields = dict(line.partition(b": ")[::2] for line in head.split(b"\r\n"))
    if b"content-length" in fields:
        await reader.readexactly(int(fields[b"content-length"]))
        return True
    if b"chunked" not in fields.get(b"transfer-encoding", b""):
        await reader.read()
        return False
    while size := int((await reader.readline()).partition(b";")[0], 16):
        await reader.readexactly(size + 2)
    await reader.readline()
    return True


async def hold(client: Client, rate: float, seconds: float, seed: int) -> list[tuple[float, bool]]:
    """Of each planned request how long it took from its moment on, and whether it was right."""
    chance, moment, begun = random.Random(seed), 0.0, time.monotonic() + 0.1
    answers: list[tuple[float, bool]] = []

    async def one(planned: float, *, counts: bool) -> None:
        is_right = False
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):  # is wrong
            is_right = await asyncio.wait_for(client.ask(), PATIENCE_S)
        if counts:
            answers.append((time.monotonic() - begun - planned, is_right))

    async with asyncio.TaskGroup() as asking:
        while (moment := moment + chance.expovariate(rate)) < WARM_S + seconds:
            await asyncio.sleep(begun + moment - time.monotonic())
            asking.create_task(one(moment, counts=moment >= WARM_S))
    return answers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--rate", type=float, required=True, help="arrivals a second")
    parser.add_argument("--within", type=float, required=True, help="seconds")
    parser.add_argument("--share", type=float, default=95.0, help="percent in time")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--status", type=int, default=200)
    parser.add_argument("--header", action="append", default=[], help='"Name: value"')
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    client = Client(given.url, given.status, given.header)
    answers = asyncio.run(hold(client, given.rate, given.seconds, given.seed))
    cuts = statistics.quantiles([1000 * seconds for seconds, _ in answers], n=100)
    right = sum(is_right for _, is_right in answers)
    met = sum(is_right and seconds <= given.within for seconds, is_right in answers)
    share = 100 * met / max(1, len(answers))
    print(
        f"{len(answers)} planned in {given.seconds:g} s at {given.rate:g}/s: {share:.2f} % in time "
        f"({1000 * given.within:g} ms), {len(answers) - right} wrong; p50 {cuts[49]:.1f}, "
        f"p95 {cuts[94]:.1f}, p99 {cuts[98]:.1f} ms"
    )
    return int(share < given.share)


if __name__ == "__main__":
    raise SystemExit(main())
