"""A WSGI application's headers without blanks around their values, which are no part of these.

(RFC 9110, section 5.5.) Django puts one before each cookie. Tornado takes it for an error, and its
client waits for an answer that never comes.
"""

from collections.abc import Callable
from typing import Any

Application = Callable[..., Any]


def trimmed(application: Application) -> Application:
    """The same application, for servers that take headers word for word."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            bare = [(name, value.strip(" \t")) for name, value in headers]
            return start_response(status, bare, exc_info)

        return application(environ, start)

    return answer
