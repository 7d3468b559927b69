"""A random row, and the one that it belongs to."""

import random
from collections.abc import Mapping
from typing import Any

from benchsuite.core.exceptions import AnswerError, DatabaseError, UsageError
from benchsuite.core.specs import DatabaseSpec, Option
from benchsuite.workloads import rows
from benchsuite.workloads.base import Client, expect_object
from benchsuite.workloads.page import TargetPage, twin


class IoJoin(TargetPage):
    name = "io_join"
    summary = "GET a random row joined with the one it belongs to, as JSON"
    options = {"rows": 1}
    uses_rows = True
    shared_data = "comments"
    path = "/bench/io_join/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        if int(self.settings["rows"]) < 1:
            raise UsageError(
                f"{self.name} takes a row at random, and its option rows is "
                f"{self.settings['rows']}; run it with --rows=1 or more."
            )
        self.last = int(self.settings["rows"])  #: The last row that may be taken.

    def url(self) -> tuple[int, str]:
        """The number of a random row, and where it is."""
        row = random.randint(1, self.last)
        return row, f"{self.path}?row={row}"

    def journey(self, client: Client) -> None:
        row, url = self.url()
        answer = expect_object(client.get(url, name=self.path))
        post = answer.get("post") or {}
        right = answer.get("number") == row and answer.get("text")
        if not (right and len(post.get("id", "")) == 36 and post.get("content")):
            raise AnswerError(f"expected row {row} with its post, and got {str(answer)[:100]}")

    def prepare(self, database: DatabaseSpec) -> Mapping[str, Any]:
        """Makes the requested number of rows that belong to as many others."""
        self._ensure_possible(database)
        return rows.made(database.rows, comments=True)

    def inspect(self, database: DatabaseSpec) -> Mapping[str, Any]:
        """Uses the existing rows."""
        self._ensure_possible(database)
        return rows.kept(database.rows, comments=True)

    def _ensure_possible(self, database: DatabaseSpec) -> None:
        if not database.rows:
            raise DatabaseError(f"{self.name} takes a row at random; give --rows=1 or more.")


IoJoinAsync = twin(IoJoin)
