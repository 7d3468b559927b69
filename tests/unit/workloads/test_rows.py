"""Rows that can't be made or counted are one sentence, whichever workload asks for them."""

import pytest

from benchsuite.core.exceptions import DatabaseError
from benchsuite.core.specs import DatabaseSpec
from benchsuite.target import seed
from benchsuite.target.models import Comment
from benchsuite.workloads.base import Workload
from benchsuite.workloads.database import IoJoin, IoLock, IoRead

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("made", [IoRead, IoJoin, IoLock])
@pytest.mark.parametrize("step", ["prepare", "inspect"])
def test_what_the_table_refuses_is_told(
    made: type[Workload], step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **named: object) -> int:
        raise seed.SeedError("The table is not there; create it.")

    monkeypatch.setattr(seed, "counted", refuse)
    monkeypatch.setattr(seed, "without_row_locks", str)
    with pytest.raises(DatabaseError, match="The table is not there; create it"):
        getattr(made(rows=3), step)(DatabaseSpec(rows=3))


def test_rows_that_are_kept_must_be_as_many_as_asked_for() -> None:
    database = DatabaseSpec(rows=3)
    for work, made in ((IoRead(rows=3), 3), (IoJoin(rows=3), 3)):
        assert work.prepare(database) == work.inspect(database) == {"options": {"rows": made}}
    with pytest.raises(DatabaseError, match=r"has 3 rows, not the requested 5; give --rows=3, or"):
        IoRead().inspect(DatabaseSpec(rows=5))
    Comment.objects.all().delete()
    with pytest.raises(DatabaseError) as none:
        IoJoin(rows=3).inspect(database)
    assert str(none.value) == (
        "The kept database has 0 comments, not the requested 3; run: python manage.py seedbench "
        "--rows 3 --comments"
    )
