"""A row that is locked while it is changed."""

from collections.abc import Mapping

from benchsuite.core.exceptions import AnswerError, DatabaseError
from benchsuite.core.specs import DatabaseSpec, Option, Within
from benchsuite.workloads.base import Client, expect_object
from benchsuite.workloads.io_create import FORM
from benchsuite.workloads.io_join import IoJoin
from benchsuite.workloads.page import twin


class IoLock(IoJoin):
    name = "io_lock"
    summary = "POST to a random row: SELECT … FOR UPDATE, changed in the same transaction"
    options = {**IoJoin.options, "among": 0}
    limits = {"among": Within(0)}
    shared_data = "comments that are counted"
    path = "/bench/io_lock/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self.last = min(int(self.settings["among"]) or self.last, self.last)

    def journey(self, client: Client) -> None:
        row, url = self.url()
        answer = expect_object(client.post(url, "", FORM, name=self.path))
        if answer.get("number") != row or not answer.get("likes"):
            raise AnswerError(f"expected row {row}, changed, and got {str(answer)[:100]}")

    def count(self, database: DatabaseSpec) -> Mapping[str, int]:
        """Every change must be there: locks are for that."""
        from benchsuite.target.seed import likes

        return {"completions": likes()}

    def _ensure_possible(self, database: DatabaseSpec) -> None:
        from benchsuite.target.seed import without_row_locks

        super()._ensure_possible(database)
        if title := without_row_locks():
            raise DatabaseError(
                f"{self.name} locks single rows, and {title} can't; add --database=postgresql."
            )


IoLockAsync = twin(IoLock, " (a transaction, which runs in a thread)")
