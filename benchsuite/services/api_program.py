"""An API that takes its time, for views that ask others. Imports the standard library only.

    python -I -S benchsuite/services/api_program.py PORT TOKEN FAILURES STALL_AT_S STALL_S

GET /?seconds=0.2 is answered after that time, or with 503 for a share of FAILURES of all calls.
GET /begun?at=MOMENT says when the load began, by the monotonic clock: STALL_AT_S later nobody is
answered for STALL_S, as if the program were stopped.
"""

import asyncio
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import monotonic
from urllib.parse import parse_qs, urlsplit

HOST = "127.0.0.1"
END = b"\r\n\r\n"
BACKLOG = 4096
HEADER = "X-Benchsuite-Api"  #: Carries the token, by which the run knows that it is this one.


@dataclass(slots=True)
class Api:
    """What it answers, and when."""

    failures: float  #: Share of the calls.
    stall_at_s: float  #: Of the load.
    stall_s: float
    begun_at: float | None = None
    calls: int = 0

    def fails(self) -> bool:
        """Whether the next call does; their share is exact at any moment."""
        self.calls += 1
        return int(self.calls * self.failures) > int((self.calls - 1) * self.failures)

    def due(self, now: float, seconds: float) -> float:
        """When a call of that moment is answered."""
        if self.begun_at is None:
            return now + seconds
        begin = self.begun_at + self.stall_at_s
        end = begin + self.stall_s
        due = (end if begin <= now < end else now) + seconds
        return end if begin <= due < end else due


async def serve(
    api: Api, token: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Answers on one connection as long as the client wants."""
    with suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
        while True:
            status, body = await _answered(api, await reader.readuntil(END))
            lines = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{HEADER}: {token}"
            writer.write(f"{lines}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
    writer.close()


async def _answered(api: Api, head: bytes) -> tuple[str, str]:
    """Status and body, when they are due."""
    url = urlsplit(head.split(b" ", 2)[1].decode("latin-1"))
    query = {name: float(values[0]) for name, values in parse_qs(url.query).items()}
    if url.path == "/begun":
        api.begun_at = query["at"]
        return "200 OK", "{}"
    now, seconds = monotonic(), query["seconds"]
    failed = seconds > 0 and api.fails()  # 0 asks whether it is there
    await asyncio.sleep(api.due(now, seconds) - now)
    return ("503 Service Unavailable", "{}") if failed else ("200 OK", f'{{"seconds":{seconds}}}')


async def main() -> None:
    port, token, *numbers = sys.argv[1:]
    failures, stall_at_s, stall_s = map(float, numbers)
    server = await asyncio.start_server(
        partial(serve, Api(failures, stall_at_s, stall_s), token), HOST, int(port), backlog=BACKLOG
    )
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
