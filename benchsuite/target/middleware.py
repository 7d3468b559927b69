"""Middleware for a target that already runs: `runbench --target` then knows who answers, and how
many requests came. It acts on requests that carry a run's token alone.
"""

import os
import re
import socket
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.utils.decorators import sync_and_async_middleware

RUN_HEADER, PROCESS_HEADER = "X-Benchsuite-Run", "X-Benchsuite-Process"
ASKED_HEADER = "X-Benchsuite-Asked"  #: Asks how many requests of a run came to this host.
TOKEN = re.compile(r"[0-9a-f]{32}")


@sync_and_async_middleware
def run_middleware(get_response: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Sends a run's token back and counts its requests."""
    if not iscoroutinefunction(get_response):
        return lambda request: _marked(get_response(request), _own_headers(request.headers))

    async def answer(request: Any) -> Any:
        return _marked(await get_response(request), _own_headers(request.headers))

    return answer


def _own_headers(asked: Any) -> dict[str, str]:
    token = asked.get(RUN_HEADER, "")
    if not TOKEN.fullmatch(token):
        return {}
    own = {RUN_HEADER: token, PROCESS_HEADER: str(os.getpid())}
    with suppress(OSError):  # without a place of its own there is no count
        count = _counted(token, more=ASKED_HEADER not in asked)
        if ASKED_HEADER in asked:
            own[ASKED_HEADER] = f"{count} {socket.gethostname()}"
    return own


def _counted(token: str, *, more: bool) -> int:
    """A file that grows a byte a request; who asks for its size ends those of other runs."""
    folder = Path(tempfile.gettempdir()) / f"benchsuite-asked-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    known = folder.lstat()
    if known.st_uid != os.getuid() or known.st_mode & 0o170077 != 0o040000:
        raise PermissionError(f"{folder} is not this user's own")
    for path in () if more else [one for one in folder.iterdir() if one.name != token]:
        path.unlink(missing_ok=True)
    with (folder / token).open("ab", buffering=0) as file:
        file.write(b"." * more)
        return file.tell()


def _marked(response: Any, own: dict[str, str]) -> Any:
    for name, value in own.items():
        response.headers[name] = value
    return response
