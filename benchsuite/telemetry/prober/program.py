"""The program of the prober: asks one page now and then, at the pace that it is told.

    python -S -c "…; main()" REQUEST PACE OUTPUT

It imports nothing but the standard library. `probes` starts it and reads what it writes:

    asked NUMBER CONNECTION DUE BEGUN      monotonic seconds
    ended NUMBER SECONDS OUTCOME           an outcome of `client`; nothing while it is under way
"""

import json
import random
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple, NoReturn, TextIO

from benchsuite.telemetry.prober.client import HUNG, RIGHT, WRONG, Client

JITTER = 0.5  #: Pauses vary by this share, so that nothing periodic is always met.
RESTING = 2  #: Connections that wait to be asked again.
SUSPECT, MOST = 2, 5  #: Requests of a connection: of each, and of one that was slow each time.
LONGEST_SLEEP_S = 0.25  #: The pace may change meanwhile.
GRACE_S = 0.1  #: A socket that waits ends by itself; one that gets a byte now and then does not.


class UnderWay(NamedTuple):
    begun: float
    until: float  #: Then it is given up.
    client: Client


class Connection(NamedTuple):
    number: int
    client: Client
    asked: int = 0
    is_slow: bool = True  #: Whether all of its answers were.


class Prober:
    """Asks a page over connections that come and go.

    Only two are open that wait for no answer, because a server may have few to give; they take
    turns, so that a moment in which all is slow is not taken for a connection that is.
    """

    def __init__(self, request: dict[str, object], output: TextIO) -> None:
        self._request = request
        self._keeps = bool(request["keep_alive"])
        self._output = output
        self._under_way: dict[int, UnderWay] = {}
        self._kept: list[Connection] = []  #: The one that rests longest first.
        self._asked = 0
        self._connections = 0
        self._lock = threading.Lock()

    def ask(self, due: float, *, patience_s: float, at_once: int, slow_s: float) -> None:
        """In a thread of its own; not at all while as many as `at_once` wait."""
        now = time.monotonic()
        with self._lock:
            under_way = list(self._under_way.items())
        for number, request in under_way:
            if now > request.until and self._end(number, now - request.begun, HUNG):
                request.client.give_up()
        with self._lock:
            if len(self._under_way) >= at_once:
                return
            if len(self._kept) < RESTING:
                self._connections += 1
                client = Client({**self._request, "timeout_s": patience_s})
                connection = Connection(self._connections, client)
            else:
                connection = self._kept.pop(0)
            self._asked += 1
            number, begun = self._asked, time.monotonic()
            until = begun + patience_s + GRACE_S
            self._under_way[number] = UnderWay(begun, until, connection.client)
            self._write(f"asked {number} {connection.number} {due:.7f} {begun:.7f}")
        work = number, connection, slow_s
        threading.Thread(target=self._answer, args=work, daemon=True).start()

    def _answer(self, number: int, connection: Connection, slow_s: float) -> None:
        client = connection.client
        begun = time.monotonic()
        outcome = ""
        if not connection.asked and self._keeps:
            # Users made theirs long ago. One that is not to be had counts all the same.
            outcome = client.connect()
            begun = begun if outcome else time.monotonic()
        outcome = outcome or client.ask()
        seconds = time.monotonic() - begun
        in_time = self._end(number, seconds, outcome)
        is_slow, asked = connection.is_slow and seconds > slow_s, connection.asked + 1
        keeps = in_time and self._keeps and outcome in (RIGHT, WRONG)
        if keeps and asked < (MOST if is_slow else SUSPECT):
            with self._lock:  # it rests; where enough do, a slow one in place of a fast one
                self._kept.append(connection._replace(asked=asked, is_slow=is_slow))
                if len(self._kept) <= RESTING:
                    return
                fast = [one for one in self._kept[:-1] if not one.is_slow]
                left_over = fast[0] if fast and is_slow else self._kept[-1]
                self._kept.remove(left_over)
                client = left_over.client
        client.close()

    def _end(self, number: int, seconds: float, outcome: str) -> bool:
        """Whether it was under way till now."""
        with self._lock:
            if self._under_way.pop(number, None) is None:
                return False
            self._write(f"ended {number} {seconds:.7f} {outcome}")
            return True

    def _write(self, line: str) -> None:
        self._output.write(f"{line}\n")
        self._output.flush()


def probe(request: dict[str, object], pace: Path, output: TextIO) -> NoReturn:
    """Asks until it is killed, at the pace that the file then tells."""
    prober = Prober(request, output)
    draw = random.Random(int(str(request["seed"])))
    before = time.monotonic()
    stretch = 0.0
    while True:
        orders = json.loads(pace.read_text())
        due = before + float(orders["pause_s"]) * stretch
        left_s = due - time.monotonic()
        if left_s > LONGEST_SLEEP_S:
            time.sleep(LONGEST_SLEEP_S / 2)
            continue
        time.sleep(max(0.0, left_s))
        prober.ask(
            due,
            patience_s=float(orders["patience_s"]),
            at_once=int(orders["at_once"]),
            slow_s=float(orders["slow_s"]),
        )
        before = max(due, time.monotonic() - float(orders["pause_s"]) * (1 - JITTER))
        stretch = draw.uniform(1 - JITTER, 1 + JITTER)


def main() -> None:
    request = json.loads(Path(sys.argv[1]).read_text())
    with open(sys.argv[3], "w", encoding="ascii") as output:
        probe(request, Path(sys.argv[2]), output)
