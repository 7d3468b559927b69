"""The rows that workloads take: made for a run, or counted where a database is kept."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from benchsuite.core.exceptions import DatabaseError


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
        found = counted(Comment if comments else Post)
    if found != rows:
        raise DatabaseError(
            f"The kept database has {found} {'comments' if comments else 'rows'}, not the "
            f"requested {rows}; {f'give --rows={found}, or ' * bool(found)}run: "
            f"python manage.py seedbench --rows {rows}{' --comments' * comments}"
        )
    return {"options": {"rows": rows}}


@contextmanager
def _explained() -> Iterator[None]:
    from benchsuite.target.seed import SeedError

    try:
        yield
    except SeedError as error:
        raise DatabaseError(str(error)) from error
