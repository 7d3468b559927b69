"""SQL statements that a project has kept and logged although DEBUG is off."""

from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

PREFIX = "debugged-"  #: Of the files in which processes count them.


def watch(add: Callable[[], None]) -> None:
    """Calls `add` for each debug cursor, as `connection.force_debug_cursor` makes them; other
    cursors cost nothing.
    """
    make = BaseDatabaseWrapper.make_debug_cursor

    def counted(connection: BaseDatabaseWrapper, cursor: Any) -> Any:
        add()
        return make(connection, cursor)

    BaseDatabaseWrapper.make_debug_cursor = counted  # type: ignore[assignment, method-assign]
