"""A page that waits for an API."""

from benchsuite.core.exceptions import AnswerError, UsageError
from benchsuite.core.specs import Option, Within
from benchsuite.workloads.base import EARLY_S, Client, expect_object
from benchsuite.workloads.page import TargetPage, twin

MOST_CALLS, LONGEST_S = 100, 60.0  #: The views' limits.


class Upstream(TargetPage):
    """The view asks the run's API once for each number of `calls`, which says how long the API
    takes for that call.
    """

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
    uses_database = False
    path = "/bench/upstream/"

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


UpstreamAsync = twin(Upstream)
