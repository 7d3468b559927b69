"""Workloads on rows of the database: written, read, joined, locked."""

import random
from collections.abc import Mapping
from itertools import count
from typing import Any, ClassVar

from benchsuite.core.commands import command
from benchsuite.core.exceptions import AnswerError, DatabaseError, UsageError
from benchsuite.core.specs import DatabaseSpec, Option, Within
from benchsuite.target import PAGE
from benchsuite.workloads.base import Client, TargetPage, expect_object, twin

FORM = "application/x-www-form-urlencoded"
CONTENT = "Written by a benchmark, and about as long as a short paragraph is."


class IoCreate(TargetPage):
    name = "io_create"
    summary = "POST a title and a content: one row inserted, and its JSON"
    uses_database = True

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


class OnRows(TargetPage):
    """Needs so many rows as asked for, each with a comment if it needs these."""

    uses_database = True
    uses_rows = True
    comments: ClassVar[bool] = False

    def prepare(self, database: DatabaseSpec) -> Mapping[str, Any]:
        """Makes the requested number of rows; the journey knows it."""
        from benchsuite.target.seed import seed

        self._ensure_possible(database)
        seed(database.rows, comments=self.comments)
        return {"options": {"rows": database.rows}}

    def inspect(self, database: DatabaseSpec) -> Mapping[str, Any]:
        """Uses the existing rows; their number must be the requested one."""
        from benchsuite.target.models import Comment, Post

        self._ensure_possible(database)
        rows = database.rows
        count = (Comment if self.comments else Post)._base_manager.count()
        if count != rows:
            raise DatabaseError(
                f"The kept database has {count} {'comments' if self.comments else 'rows'}, not the "
                f"requested {rows}; {f'give --rows={count}, or ' * bool(count)}run: "
                + command("seedbench", f"--rows={rows}", *["--comments"] * self.comments)
            )
        return {"options": {"rows": rows}}

    def _ensure_possible(self, database: DatabaseSpec) -> None:
        """Raises DatabaseError where the journey can't be made."""


class IoRead(OnRows):
    name = "io_read"
    summary = "GET 25 rows and the count of all, as JSON"
    options = {"rows": -1}
    shared_data = "posts"

    def journey(self, client: Client) -> None:
        answer = expect_object(client.get(self.path))
        count, posts = answer.get("count"), answer.get("posts", ())
        wanted = self.settings["rows"]
        if wanted >= 0 and count != wanted:
            raise AnswerError(f"expected a count of {wanted} rows, and got {count}")
        if not isinstance(count, int) or len(posts) != min(PAGE, count):
            raise AnswerError(f"expected a page of {PAGE} rows, and got {len(posts)} of {count}")
        if posts and not all(post.get("title") and post.get("content") for post in posts):
            raise AnswerError(f"expected rows with a title and a content, and got {posts[0]}")


class IoJoin(OnRows):
    name = "io_join"
    summary = "GET a random row joined with the one it belongs to, as JSON"
    options = {"rows": 1}
    comments = True
    shared_data = "comments"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self.last = self.settings["rows"]  #: The last row that may be taken.
        if self.last < 1:
            raise UsageError(
                f"{self.name} takes a row at random, and its option rows is {self.last}; run it "
                "with --rows=1 or more."
            )

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

    def _ensure_possible(self, database: DatabaseSpec) -> None:
        if not database.rows:
            raise DatabaseError(f"{self.name} takes a row at random; give --rows=1 or more.")


class IoLock(IoJoin):
    name = "io_lock"
    summary = "POST to a random row: SELECT … FOR UPDATE, changed in the same transaction"
    options = {**IoJoin.options, "among": 0}
    limits = {"among": Within(0)}
    shared_data = "comments that are counted"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self.last = min(self.settings["among"] or self.last, self.last)

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


IoCreateAsync, IoReadAsync, IoJoinAsync = map(twin, (IoCreate, IoRead, IoJoin))
IoLockAsync = twin(IoLock, " (a transaction, which runs in a thread)")
