"""Fills the table of posts to an exact number of rows, fast."""

from typing import Any

from django.db import connection, transaction
from django.db.models import Sum
from django.utils import timezone

from benchsuite.target.models import Comment, Post

CHUNK = 1_000_000  #: Rows a statement, so that a huge table is not one huge transaction.
BATCH = 5_000  #: Rows a statement where only the ORM can be used.
CONTENT = "A benchmark reads and writes rows like this one, about as long as a short paragraph is."
_COLUMNS = "(id, title, content, created, updated)"

# The form of a random UUID: version 4, variant 10.
_SQLITE = f"""
    WITH RECURSIVE numbers(n) AS (SELECT %s UNION ALL SELECT n + 1 FROM numbers WHERE n < %s)
    INSERT INTO benchsuite_target_post {_COLUMNS}
    SELECT lower(hex(randomblob(6)))
           || '4' || lower(substr(hex(randomblob(2)), 1, 3))
           || substr('89ab', 1 + (random() & 3), 1) || lower(substr(hex(randomblob(8)), 1, 15))
           AS id, 'Post ' || n, %s, %s, %s
    FROM numbers ORDER BY id
"""
_POSTGRESQL = f"""
    INSERT INTO benchsuite_target_post {_COLUMNS}
    SELECT gen_random_uuid(), 'Post ' || n, %s, %s, %s FROM generate_series(%s, %s) AS n
"""
_COMMENTS = """
    INSERT INTO benchsuite_target_comment (number, post_id, text, likes)
    SELECT ROW_NUMBER() OVER (ORDER BY id), id, %s, 0 FROM benchsuite_target_post
"""


def seed(rows: int, *, comments: bool = False) -> int:
    """Adds or removes posts until there are exactly `rows`; refreshes the planner's statistics.
    Removes all comments; with `comments` each post gets one. The number of posts before.
    """
    count = Post.objects.using("default").count()
    if Comment.objects.using("default").exists():
        _execute(f"DELETE FROM {Comment._meta.db_table}", [])
    if count < rows:
        _add(count + 1, rows)
    elif count > rows:
        # any rows: no other row refers to them any more
        table = Post._meta.db_table
        chosen = f"SELECT id FROM (SELECT id FROM {table} LIMIT %s) AS chosen"
        _execute(f"DELETE FROM {table} WHERE id IN ({chosen})", [count - rows])
    if comments:
        _execute(_COMMENTS, [CONTENT])
    # COUNT(*) on a new PostgreSQL table is slow before a vacuum
    statement = {"postgresql": "VACUUM ANALYZE", "sqlite": "ANALYZE"}.get(connection.vendor)
    for model in (Post, Comment) if statement else ():
        _execute(f"{statement} {model._meta.db_table}", [])
    return count


def likes() -> int:
    """How often comments were changed."""
    return int(Comment.objects.aggregate(all=Sum("likes", default=0))["all"])


def without_row_locks() -> str:
    """The name of a database that can't lock rows; empty for one that can."""
    return "" if connection.features.has_select_for_update else connection.display_name


def _add(first: int, last: int) -> None:
    for start in range(first, last + 1, CHUNK):
        end = min(start + CHUNK - 1, last)
        with transaction.atomic():
            now = connection.ops.adapt_datetimefield_value(timezone.now())
            if connection.vendor == "sqlite":
                _execute(_SQLITE, [start, end, CONTENT, now, now])
            elif connection.vendor == "postgresql":
                _execute(_POSTGRESQL, [CONTENT, now, now, start, end])
            else:
                posts = (Post(title=f"Post {n}", content=CONTENT) for n in range(start, end + 1))
                Post.objects.using("default").bulk_create(posts, batch_size=BATCH)


def _execute(statement: str, parameters: list[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
