"""A sum of squares in pure Python."""

from typing import ClassVar

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.specs import Option, refuse_unless_within
from benchsuite.workloads.base import Client, Workload, expect_object

MAX_SIZE = 10**8  #: The view's limit.


class Cpu(Workload):
    name = "cpu"
    unchecked = ""
    summary = "GET the sum of i * i for i below size, as JSON: nothing but Python"
    options = {"size": 10**7}
    ready_path = "/bench/plain/"
    needs_target_app = True
    uses_database = False
    path: ClassVar[str] = "/bench/cpu/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        refuse_unless_within(self.name, self.settings, "size", 0, MAX_SIZE)
        size = int(self.settings["size"])
        self._url = f"{self.path}?size={size}"
        self._right = {"size": size, "sum": (size - 1) * size * (2 * size - 1) // 6}

    def journey(self, client: Client) -> None:
        answer = expect_object(client.get(self._url, name=self.path))
        if answer != self._right:
            raise AnswerError(f"expected {self._right}, and got {str(answer)[:100]}")


class CpuAsync(Cpu):
    name = "cpu_async"
    summary = "cpu with an async view (which awaits nothing)"
    path = "/bench/cpu_async/"
