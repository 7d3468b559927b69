"""Pages of the project itself, by their paths."""

from benchsuite.exceptions import AnswerError, UsageError
from benchsuite.paths import quoted
from benchsuite.specs import Option
from benchsuite.workloads.base import Client, Workload, expect_status


class Url(Workload):
    name = "url"
    summary = "GET pages of your own project (--path=/shop/,/shop/cart/), one after the other"
    options = {"path": "", "expect": ""}

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._paths = [path.strip() for path in str(self.settings["path"]).split(",")]
        for path in self._paths:
            if not path:
                raise UsageError(
                    "The workload url needs a page to get: --path=/shop/ (several: /shop/,/cart/)."
                )
            quoted(path)
        self._expected = str(self.settings["expect"]).encode(errors="surrogateescape")
        self.ready_path = self._paths[0]

    def journey(self, client: Client) -> None:
        for path in self._paths:
            response = client.get(path)
            try:
                expect_status(response)
            except AnswerError as error:
                raise AnswerError(f"{path}: {error}") from error
            if self._expected not in response.content:
                raise AnswerError(
                    f"{path}: expected {self.settings['expect']!r} in the body, and it is not there"
                )
