"""A page that waits for an API."""

from typing import ClassVar

from benchsuite.core.exceptions import AnswerError, UsageError
from benchsuite.core.specs import Option, refuse_below, refuse_unless_within
from benchsuite.workloads.base import EARLY_S, Client, Workload, expect_object

MOST_CALLS, LONGEST_S = 100, 60.0  #: The views' limits.


class Upstream(Workload):
    """The view asks the run's API once for each number of `calls`, which says how long the API
    takes for that call.
    """

    name = "upstream"
    unchecked = ""
    summary = "GET a page that asks a slow API several times, at once or one after another"
    options = {
        "calls": "0.2,0.4,0.6",
        "at_once": True,
        "failures": 0.0,
        "stall_at_s": 0.0,
        "stall_s": 0.0,
    }
    ready_path = "/bench/plain/"
    needs_target_app = True
    uses_database = False
    path: ClassVar[str] = "/bench/upstream/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        given = str(self.settings["calls"]).split(",")
        try:
            self._right = [float(one) for one in given]
        except ValueError:
            self._right = []
        if not 0 < len(self._right) <= MOST_CALLS or not all(
            0 <= one <= LONGEST_S for one in self._right
        ):
            raise UsageError(
                f"{self.name}'s option calls must be up to {MOST_CALLS} numbers from 0 to "
                f"{LONGEST_S:g}, separated by commas, and is {','.join(given)!r}."
            )
        refuse_unless_within(self.name, self.settings, "failures", 0, 1)
        refuse_below(self.name, self.settings, 0, "stall_at_s", "stall_s")
        at_once = bool(self.settings["at_once"])
        self._least_s = (max if at_once else sum)(self._right) - EARLY_S
        self._url = f"{self.path}?calls={','.join(given)}{'&at_once=1' * at_once}"
        told = ("failures", "stall_at_s", "stall_s")
        self.services = {"api": {name: self.settings[name] for name in told}}
        self.libraries = {"httpx": "upstream"}

    def journey(self, client: Client) -> None:
        answer = expect_object(client.get(self._url, name=self.path))
        took_s = answer.get("seconds")
        if answer.get("answers") != self._right or not isinstance(took_s, float):
            raise AnswerError(f"expected the answers {self._right}, and got {str(answer)[:100]}")
        if took_s < self._least_s:
            raise AnswerError(f"expected {self._least_s:g} s or more, and it says {took_s:g} s")


class UpstreamAsync(Upstream):
    name = "upstream_async"
    summary = "upstream with an async view"
    path = "/bench/upstream_async/"
