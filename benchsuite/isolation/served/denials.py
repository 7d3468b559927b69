"""Who refused a WebSocket handshake: seen in the server, as clients only get a 403."""

import sys
from types import FrameType
from typing import Any

ITS_OWN = ("channels", "django", "asgiref", "benchsuite")
"""Packages between a project's refusal and the server; the project's own code is named."""


def who(scope: dict[str, Any]) -> str:
    """Names the code that is sending the refusal; a sync consumer, which sends from another
    thread, is not seen.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        sender = frame.f_locals.get("self")
        allowed = getattr(sender, "allowed_origins", None)
        if allowed is not None:
            return (
                f"{type(sender).__name__} refuses the Origin {_origin(scope)!r}, and allows "
                f"{', '.join(map(str, allowed)) or 'none'}"
            )
        package = type(sender).__module__.partition(".")[0]
        if getattr(sender, "scope", None) is not None and package not in ITS_OWN:
            return f"{type(sender).__module__}.{type(sender).__name__} refuses it{_visitor(scope)}"
        frame = frame.f_back
    return f"the application refuses it{_visitor(scope)}"


def _origin(scope: dict[str, Any]) -> str:
    found = (value for name, value in scope.get("headers", ()) if name.lower() == b"origin")
    return bytes(next(found, b"")).decode("latin-1")


def _visitor(scope: dict[str, Any]) -> str:
    """Whether a user is signed in, where the project checks; never triggers the look-up."""
    try:
        signed_in = bool(scope["user"].is_authenticated)
    except Exception:  # noqa: BLE001 - there is no user, or it is of the project's own making
        return ""
    return ", and a user is signed in" if signed_in else ", and nobody is signed in (--login=USER)"
