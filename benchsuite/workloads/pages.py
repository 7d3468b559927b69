"""Workloads on pages of the target app: single ones without a database, and rows of one that are
written, read, joined, locked.
"""

import random
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlencode

from benchsuite.core.commands import command
from benchsuite.core.exceptions import AnswerError, DatabaseError, UsageError
from benchsuite.core.specs import DatabaseSpec, Option, Within
from benchsuite.target import MAX_BODY_BYTES, MAX_CALLS, MAX_SIZE, MAX_SLEEP_S, PAGE, bench_app
from benchsuite.workloads import base
from benchsuite.workloads.base import Client, TargetPage, expect_object, twin


class Plain(TargetPage):
    name = "plain"
    summary = "GET two bytes: what the server and Django cost by themselves"

    def journey(self, client: Client) -> None:
        base.expect_body(client.get(self.path), b"OK")


class Get(TargetPage):
    name = "get"
    summary = "GET a body of so many bytes: what answers of that size cost"
    options = {"size": 10_000}
    limits = {"size": Within(0, MAX_BODY_BYTES)}
    query = ("size",)

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._right = b"x" * self.settings["size"]

    def journey(self, client: Client) -> None:
        base.expect_body(client.get(self._url, name=self.path), self._right)


class Echo(TargetPage):
    name = "echo"
    summary = "POST a body of so many bytes, which comes back"
    options = {"size": 10_000}
    limits = {"size": Within(1, MAX_BODY_BYTES)}

    def journey(self, client: Client) -> None:
        size = self.settings["size"]
        body = f"{next(self._numbers)} ".ljust(size, "x")[:size]
        base.expect_body(client.post(self.path, body, "application/octet-stream"), body.encode())


class Sleep(TargetPage):
    name = "sleep"
    summary = "GET a page that waits so many seconds: how many can wait at once?"
    options = {"seconds": 0.01}
    limits = {"seconds": Within(0, MAX_SLEEP_S)}
    query = ("seconds",)

    def journey(self, client: Client) -> None:
        base.expect_seconds(client.get(self._url, name=self.path), self.settings["seconds"])


class Cpu(TargetPage):
    name = "cpu"
    summary = "GET the sum of i * i for i below size, as JSON: nothing but Python"
    options = {"size": 10**7, "seconds": 0.0}
    limits = {"size": Within(0, MAX_SIZE), "seconds": Within(0, MAX_SLEEP_S)}
    query = ("size",)

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self.calibrates = bool(self.settings["seconds"])
        size = self.settings["size"]
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
        from benchsuite.system.cpus import size_for
        from benchsuite.target.views import sum_of_squares

        size = size_for(self.settings["seconds"], sum_of_squares, name="cpu")
        if size > MAX_SIZE:
            raise DatabaseError(
                f"{self.settings['seconds']} s of {self.name} are {size} squares here, and the "
                f"view adds {MAX_SIZE} at most; give fewer seconds."
            )
        return {"options": {"size": size}}

    inspect = prepare


class Layer(TargetPage):
    name = "layer"
    summary = "plain through the channel layer: the server asks a runworker for each answer"
    options = {"view": "plain_async"}
    limits = {"view": ("plain", "plain_async")}
    needs_workers = True

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self.ready_path = f"/bench/layer/{self.settings['view']}/"

    def journey(self, client: Client) -> None:
        base.expect_body(client.get(self.ready_path), b"OK")


class Upstream(TargetPage):
    """The view asks the run's API once for each of `calls`, which are the seconds that it takes."""

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
    query = ("calls",)

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        calls, at_once = self.settings["calls"], self.settings["at_once"]
        try:
            self._right = [float(call) for call in calls.split(",")]
        except ValueError:
            self._right = []
        if not 0 < len(self._right) <= MAX_CALLS or not all(
            0 <= seconds <= MAX_SLEEP_S for seconds in self._right
        ):
            raise UsageError(
                f"{self.name}'s option calls must be up to {MAX_CALLS} numbers from 0 to "
                f"{MAX_SLEEP_S:g}, separated by commas, and is {calls!r}."
            )
        self._least_s = (max if at_once else sum)(self._right) - base.EARLY_S
        self._url += "&at_once=1" * at_once
        options_of_api = ("failures", "stall_at_s", "stall_s")
        self.services = {"api": {name: self.settings[name] for name in options_of_api}}
        self.libraries = {"httpx": "upstream"}

    def journey(self, client: Client) -> None:
        answer = expect_object(client.get(self._url, name=self.path))
        took_s = answer.get("seconds")
        if answer.get("answers") != self._right or not isinstance(took_s, float):
            raise AnswerError(f"expected the answers {self._right}, and got {str(answer)[:100]}")
        if took_s < self._least_s:
            raise AnswerError(f"expected {self._least_s:g} s or more, and it says {took_s:g} s")


class BenchApp(TargetPage):
    name = "bench_app"
    summary = "GET the application of 2012: a loop, 100 ms of sleep, 10 000 small writes"
    options = {"version": 1}
    limits = {"version": Within(1, 2)}

    def journey(self, client: Client) -> None:
        if self.settings["version"] == 1:
            base.expect_seconds(client.get(self.path), bench_app.PAUSE_S)
        else:
            base.expect_body(client.get(f"{self.path}?version=2"), bench_app.PAGE)


FORM = "application/x-www-form-urlencoded"
CONTENT = "Written by a benchmark, and about as long as a short paragraph is."
FORM_CONTENT = urlencode({"content": CONTENT})


class IoCreate(TargetPage):
    name = "io_create"
    summary = "POST a title and a content: one row inserted, and its JSON"
    uses_database = True

    def journey(self, client: Client) -> None:
        number = next(self._numbers)
        form = f"title=Written+{number}&{FORM_CONTENT}"
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


PlainAsync, GetAsync, EchoAsync, SleepAsync = map(twin, (Plain, Get, Echo, Sleep))
UpstreamAsync = twin(Upstream)
CpuAsync = twin(Cpu, " (which awaits nothing)")
BenchAppAsync = twin(BenchApp, " (only the sleep can be awaited)")
IoCreateAsync, IoReadAsync, IoJoinAsync = map(twin, (IoCreate, IoRead, IoJoin))
IoLockAsync = twin(IoLock, " (a transaction, which runs in a thread)")
