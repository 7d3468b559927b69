"""A page of rows, and their number."""

from collections.abc import Mapping
from typing import Any

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.specs import DatabaseSpec
from benchsuite.workloads import rows
from benchsuite.workloads.base import Client, expect_object
from benchsuite.workloads.page import TargetPage, twin

PAGE = 25  #: Rows the view reads.


class IoRead(TargetPage):
    name = "io_read"
    summary = "GET 25 rows and the count of all, as JSON"
    options = {"rows": -1}
    uses_rows = True
    shared_data = "posts"
    path = "/bench/io_read/"

    def journey(self, client: Client) -> None:
        answer = expect_object(client.get(self.path))
        count, posts = answer.get("count"), answer.get("posts", ())
        wanted = int(self.settings["rows"])
        if wanted >= 0 and count != wanted:
            raise AnswerError(f"expected a count of {wanted} rows, and got {count}")
        if not isinstance(count, int) or len(posts) != min(PAGE, count):
            raise AnswerError(f"expected a page of {PAGE} rows, and got {len(posts)} of {count}")
        if posts and not all(post.get("title") and post.get("content") for post in posts):
            raise AnswerError(f"expected rows with a title and a content, and got {posts[0]}")

    def prepare(self, database: DatabaseSpec) -> Mapping[str, Any]:
        """Makes the requested number of rows, which the journey checks."""
        return rows.made(database.rows)

    def inspect(self, database: DatabaseSpec) -> Mapping[str, Any]:
        """Uses the existing rows; their number must be the requested one."""
        return rows.kept(database.rows)


IoReadAsync = twin(IoRead)
