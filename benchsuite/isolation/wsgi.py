"""The WSGI callable that runs serve: the project's own, with the run's headers on every answer."""

from collections.abc import Callable
from typing import Any

from benchsuite.isolation.served.project import loaded, own_headers

_project, _counter, _listener = loaded("wsgi")


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
    def start(status: str, headers: list[tuple[str, str]], *more: Any, **named: Any) -> Any:
        return start_response(status, [*headers, *own_headers()], *more, **named)

    _counter.add()
    try:
        return _project(environ, start)
    except Exception as error:
        _listener.escaped(environ["REQUEST_METHOD"], environ.get("PATH_INFO", ""), error)
        raise
