"""Workloads on rows of the database: written, read, joined, locked."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any

from benchsuite.core.commands import command
from benchsuite.core.exceptions import AnswerError, DatabaseError, UsageError
from benchsuite.core.specs import DatabaseSpec, Option, Within
from benchsuite.workloads.base import Client, TargetPage, expect_object, twin


def made(rows: int, *, comments: bool = False) -> Mapping[str, Any]:
    """Makes exactly so many, with as many comments; their number is an option of the journey."""
    from benchsuite.target.seed import seed

    with _explained():
        return {"options": {"rows": seed(rows, comments=comments).rows}}


def kept(rows: int, *, comments: bool = False) -> Mapping[str, Any]:
    """The same of those that are there, which must be as many."""
    from benchsuite.target.models import Comment, Post
    from benchsuite.target.seed import counted

    with _explained():
        count = counted(Comment if comments else Post)
    if count != rows:
        raise DatabaseError(
            f"The kept database has {count} {'comments' if comments else 'rows'}, not the "
            f"requested {rows}; {f'give --rows={count}, or ' * bool(count)}run: "
            + command("seedbench", f"--rows={rows}", *["--comments"] * comments)
        )
    return {"options": {"rows": rows}}


@contextmanager
def _explained() -> Iterator[None]:
    from benchsuite.target.seed import SeedError

    try:
        yield
    except SeedError as error:
        raise DatabaseError(str(error)) from error


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
        return made(database.rows)

    def inspect(self, database: DatabaseSpec) -> Mapping[str, Any]:
        """Uses the existing rows; their number must be the requested one."""
        return kept(database.rows)


IoReadAsync = twin(IoRead)


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
        return made(database.rows, comments=True)

    def inspect(self, database: DatabaseSpec) -> Mapping[str, Any]:
        """Uses the existing rows."""
        self._ensure_possible(database)
        return kept(database.rows, comments=True)

    def _ensure_possible(self, database: DatabaseSpec) -> None:
        if not database.rows:
            raise DatabaseError(f"{self.name} takes a row at random; give --rows=1 or more.")


IoJoinAsync = twin(IoJoin)


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
