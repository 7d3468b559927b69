"""SQL statements that are kept and logged though DEBUG is off, which a project can ask for."""

from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

PREFIX = "debugged-"  #: Of the files in which processes count them.


def watch(add: Callable[[], None]) -> None:
    """Calls `add` for each statement's cursor that Django makes for debugging, as it does where
    `connection.force_debug_cursor` is set. Others cost nothing.
    """
    make = BaseDatabaseWrapper.make_debug_cursor

    def counted(connection: BaseDatabaseWrapper, cursor: Any) -> Any:
        add()
        return make(connection, cursor)

    BaseDatabaseWrapper.make_debug_cursor = counted  # type: ignore[assignment, method-assign]
