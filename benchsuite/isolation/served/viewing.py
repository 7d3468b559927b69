"""How often views ran: a cache or a middleware may answer in front of them.

What a decorator does is seen from inside it only. The function that it wraps is therefore replaced
by one that counts, once, where the decorator keeps it; a view then costs less than a microsecond
more.
"""

from collections.abc import Callable
from functools import wraps
from types import CellType, FunctionType
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.core.handlers.base import BaseHandler

PREFIX = "viewed-"  #: Of the files in which processes count them.
MOST = 1000  #: Views; a project that makes one for each request is counted from outside.

MARK = "benchsuite_counts"  #: An attribute of functions that count.

View = Callable[..., Any]


def watch(add: Callable[[], None]) -> None:
    """Calls `add` whenever a view of Django's runs, in handlers that are made from now on."""
    load, known = BaseHandler.load_middleware, dict[Any, bool]()

    def look(request: Any, view: View, *arguments: object) -> None:
        if view not in known and len(known) < MOST:
            known[view] = _counts_inside(view, str(request.method).lower(), add)
        if not known.get(view):
            add()

    async def look_later(*arguments: Any) -> None:
        look(*arguments)

    def loaded(handler: Any, is_async: bool = False) -> None:  # noqa: FBT001, FBT002 - Django's
        load(handler, is_async)
        handler._view_middleware.append(look_later if is_async else look)

    BaseHandler.load_middleware = loaded  # type: ignore[assignment, method-assign]


def _counts_inside(view: View, method: str, add: Callable[[], None]) -> bool:
    """Whether the innermost function of a decorated view counts from now on; of a class, that is
    what answers the method.
    """
    kind = getattr(view, "view_class", getattr(view, "cls", None))
    handler = getattr(view, "actions", {}).get(method, method)
    found: CellType | None = None
    for function in (view, getattr(kind, "dispatch", None), getattr(kind, handler, None)):
        while (cell := _cell(function)) is not None:
            found, function = cell, function.__wrapped__  # type: ignore[union-attr]
    if found is None:
        return False
    inner = found.cell_contents
    if not _counts(inner):

        @wraps(inner)
        def counted(*arguments: Any, **named: Any) -> Any:
            add()
            return inner(*arguments, **named)

        vars(counted)[MARK] = True
        found.cell_contents = (
            markcoroutinefunction(counted) if iscoroutinefunction(inner) else counted
        )
    return True


def _counts(function: object) -> bool:
    return isinstance(function, FunctionType) and MARK in vars(function)


def _cell(function: Any) -> CellType | None:
    """Where a decorator keeps what it wraps."""
    inner = getattr(function, "__wrapped__", None)
    for cell in getattr(function, "__closure__", None) or ():
        try:
            content = cell.cell_contents
        except ValueError:  # it is empty
            continue
        if inner is not None and (content is inner or _counts(content)):
            return cell  # type: ignore[no-any-return]
    return None
