"""Workloads on single pages of the target app that need no database."""

from collections.abc import Mapping
from itertools import count
from typing import Any

from benchsuite.core.exceptions import AnswerError, DatabaseError, UsageError
from benchsuite.core.specs import DatabaseSpec, Option, Within
from benchsuite.target import MAX_BODY_BYTES, MAX_CALLS, MAX_SIZE, MAX_SLEEP_S
from benchsuite.target.bench_app import PAGE, PAUSE_S
from benchsuite.workloads import base
from benchsuite.workloads.base import Client, TargetPage, twin


class Plain(TargetPage):
    name = "plain"
    summary = "GET two bytes: what the server and Django cost by themselves"

    def journey(self, client: Client) -> None:
        base.expect_body(client.get(self.path), b"OK")


class Get(TargetPage):
    name = "get"
    summary = "GET a body of so many bytes: what answers of that size cost"
    options = {"size": 10_000}
    limits = {"size": Within(0, MAX_BODY_BYTES)}
    query = ("size",)

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._right = b"x" * self.settings["size"]

    def journey(self, client: Client) -> None:
        base.expect_body(client.get(self._url, name=self.path), self._right)


class Echo(TargetPage):
    name = "echo"
    summary = "POST a body of so many bytes, which comes back"
    options = {"size": 10_000}
    limits = {"size": Within(1, MAX_BODY_BYTES)}

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._numbers = count(1)

    def journey(self, client: Client) -> None:
        size = self.settings["size"]
        body = f"{next(self._numbers)} ".ljust(size, "x")[:size]
        answer = client.post(self.path, body, "application/octet-stream")
        base.expect_body(answer, body.encode())


class Sleep(TargetPage):
    name = "sleep"
    summary = "GET a page that waits so many seconds: how many can wait at once?"
    options = {"seconds": 0.01}
    limits = {"seconds": Within(0, MAX_SLEEP_S)}
    query = ("seconds",)

    def journey(self, client: Client) -> None:
        base.expect_seconds(client.get(self._url, name=self.path), self.settings["seconds"])


class Cpu(TargetPage):
    name = "cpu"
    summary = "GET the sum of i * i for i below size, as JSON: nothing but Python"
    options = {"size": 10**7, "seconds": 0.0}
    limits = {"size": Within(0, MAX_SIZE), "seconds": Within(0, MAX_SLEEP_S)}
    query = ("size",)

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self.calibrates = bool(self.settings["seconds"])
        size = self.settings["size"]
        self._right = {"size": size, "sum": (size - 1) * size * (2 * size - 1) // 6}

    @property
    def has_own_data(self) -> bool:
        return self.calibrates

    def journey(self, client: Client) -> None:
        answer = base.expect_object(client.get(self._url, name=self.path))
        if answer != self._right:
            raise AnswerError(f"expected {self._right}, and got {str(answer)[:100]}")

    def prepare(self, database: DatabaseSpec) -> Mapping[str, Any] | None:
        """Finds the size that takes so many seconds, under the Python that will serve."""
        if not self.calibrates:
            return None
        from benchsuite.system.cpus import size_for
        from benchsuite.target.views import sum_of_squares

        size = size_for(self.settings["seconds"], sum_of_squares, name="cpu")
        if size > MAX_SIZE:
            raise DatabaseError(
                f"{self.settings['seconds']} s of {self.name} are {size} squares here, and the "
                f"view adds {MAX_SIZE} at most; give fewer seconds."
            )
        return {"options": {"size": size}}

    inspect = prepare


class Layer(TargetPage):
    name = "layer"
    summary = "plain through the channel layer: the server asks a runworker for each answer"
    options = {"view": "plain_async"}
    limits = {"view": ("plain", "plain_async")}
    needs_workers = True

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self.ready_path = f"/bench/layer/{self.settings['view']}/"

    def journey(self, client: Client) -> None:
        base.expect_body(client.get(self.ready_path), b"OK")


class Upstream(TargetPage):
    """The view asks the run's API once for each of `calls`, which are the seconds that it takes."""

    name = "upstream"
    summary = "GET a page that asks a slow API several times, at once or one after another"
    options = {
        "calls": "0.2,0.4,0.6",
        "at_once": True,
        "failures": 0.0,
        "stall_at_s": 0.0,
        "stall_s": 0.0,
    }
    limits = {"failures": Within(0, 1), "stall_at_s": Within(0), "stall_s": Within(0)}
    query = ("calls",)

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        calls, at_once = self.settings["calls"], self.settings["at_once"]
        try:
            self._right = [float(call) for call in calls.split(",")]
        except ValueError:
            self._right = []
        if not 0 < len(self._right) <= MAX_CALLS or not all(
            0 <= seconds <= MAX_SLEEP_S for seconds in self._right
        ):
            raise UsageError(
                f"{self.name}'s option calls must be up to {MAX_CALLS} numbers from 0 to "
                f"{MAX_SLEEP_S:g}, separated by commas, and is {calls!r}."
            )
        self._least_s = (max if at_once else sum)(self._right) - base.EARLY_S
        self._url += "&at_once=1" * at_once
        options_of_api = ("failures", "stall_at_s", "stall_s")
        self.services = {"api": {name: self.settings[name] for name in options_of_api}}
        self.libraries = {"httpx": "upstream"}

    def journey(self, client: Client) -> None:
        answer = base.expect_object(client.get(self._url, name=self.path))
        took_s = answer.get("seconds")
        if answer.get("answers") != self._right or not isinstance(took_s, float):
            raise AnswerError(f"expected the answers {self._right}, and got {str(answer)[:100]}")
        if took_s < self._least_s:
            raise AnswerError(f"expected {self._least_s:g} s or more, and it says {took_s:g} s")


class BenchApp(TargetPage):
    name = "bench_app"
    summary = "GET the application of 2012: a loop, 100 ms of sleep, 10 000 small writes"
    options = {"version": 1}
    limits = {"version": Within(1, 2)}

    def journey(self, client: Client) -> None:
        if self.settings["version"] == 1:
            base.expect_seconds(client.get(self.path), PAUSE_S)
        else:
            base.expect_body(client.get(f"{self.path}?version=2"), PAGE)


PlainAsync, GetAsync, EchoAsync, SleepAsync = map(twin, (Plain, Get, Echo, Sleep))
UpstreamAsync = twin(Upstream)
CpuAsync = twin(Cpu, " (which awaits nothing)")
BenchAppAsync = twin(BenchApp, " (only the sleep can be awaited)")
