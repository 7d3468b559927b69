"""One row written."""

from itertools import count

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.specs import Option
from benchsuite.workloads.base import Client, expect_object
from benchsuite.workloads.page import TargetPage, twin

FORM = "application/x-www-form-urlencoded"
CONTENT = "Written by a benchmark, and about as long as a short paragraph is."


class IoCreate(TargetPage):
    name = "io_create"
    summary = "POST a title and a content: one row inserted, and its JSON"
    path = "/bench/io_create/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._numbers = count(1)
        self._content = f"content={CONTENT.replace(' ', '+').replace(',', '%2C')}"

    def journey(self, client: Client) -> None:
        number = next(self._numbers)
        form = f"title=Written+{number}&{self._content}"
        row = expect_object(client.post(self.path, form, FORM), 201)
        echoed = (row.get("title"), row.get("content"))
        if echoed != (f"Written {number}", CONTENT) or len(row.get("id", "")) != 36:
            raise AnswerError(
                f"expected the row titled 'Written {number}', and got {str(row)[:100]}"
            )


IoCreateAsync = twin(IoCreate)
