"""A sum of squares in pure Python."""

from collections.abc import Mapping
from typing import Any

from benchsuite.core.exceptions import AnswerError, DatabaseError
from benchsuite.core.specs import DatabaseSpec, Option, Within
from benchsuite.workloads.base import Client, expect_object
from benchsuite.workloads.page import TargetPage, twin

MAX_SIZE = 10**8  #: The view's limit.
MAX_SECONDS = 60.0


class Cpu(TargetPage):
    name = "cpu"
    summary = "GET the sum of i * i for i below size, as JSON: nothing but Python"
    options = {"size": 10**7, "seconds": 0.0}
    limits = {"size": Within(0, MAX_SIZE), "seconds": Within(0, MAX_SECONDS)}
    uses_database = False
    path = "/bench/cpu/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self.calibrates = bool(self.settings["seconds"])
        size = int(self.settings["size"])
        self._url = f"{self.path}?size={size}"
        self._right = {"size": size, "sum": (size - 1) * size * (2 * size - 1) // 6}

    @property
    def has_own_data(self) -> bool:
        return self.calibrates

    def journey(self, client: Client) -> None:
        answer = expect_object(client.get(self._url, name=self.path))
        if answer != self._right:
            raise AnswerError(f"expected {self._right}, and got {str(answer)[:100]}")

    def prepare(self, database: DatabaseSpec) -> Mapping[str, Any] | None:
        """Finds the size that takes so many seconds, under the Python that will serve."""
        if not self.calibrates:
            return None
        from benchsuite.system.calibration import size_for
        from benchsuite.target.work import sum_of_squares

        size = size_for(float(self.settings["seconds"]), sum_of_squares, name="cpu")
        if size > MAX_SIZE:
            raise DatabaseError(
                f"{self.settings['seconds']} s of {self.name} are {size} squares here, and the "
                f"view adds {MAX_SIZE} at most; give fewer seconds."
            )
        return {"options": {"size": size}}

    inspect = prepare


CpuAsync = twin(Cpu, " (which awaits nothing)")
