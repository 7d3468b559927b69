"""Asks the project for a page in a process of its own, and tells who answered.

    python -m benchsuite.isolation.asking REQUEST

REQUEST is a JSON file with `path` and `headers`. The last line of the output is JSON, too:
`status`, `retry_after`, `maker` (the function that made the answer), `viewed` (whether the view
ran).
"""

import inspect
import json
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import django
from django.http import HttpResponseBase
from django.test import Client
from django.urls import Resolver404, resolve

DJANGOS = "django."  #: What its modules are called.


class Looking:
    """Looks at every call of a request: who made the answer, and whether the view ran."""

    def __init__(self, view: object) -> None:
        self._code = getattr(inspect.unwrap(view), "__code__", None)  # type: ignore[arg-type]
        self.viewed = False
        self.makers: list[str] = []

    def __call__(self, frame: FrameType, event: str, returned: Any) -> None:
        if event == "call" and frame.f_code is self._code:
            self.viewed = True
        elif event == "return" and isinstance(returned, HttpResponseBase):
            module = frame.f_globals.get("__name__")
            self.makers.append(f"{module}.{frame.f_code.co_qualname}")

    @property
    def maker(self) -> str:
        own = (one for one in self.makers if not one.startswith(DJANGOS))
        return next(own, next(iter(self.makers), ""))


def main() -> None:
    request = json.loads(Path(sys.argv.pop()).read_text())
    path = request["path"]
    headers = {"Host": "127.0.0.1", **request["headers"]}
    variables = {f"HTTP_{name.upper().replace('-', '_')}": headers[name] for name in headers}
    django.setup()
    try:
        view: object = resolve(path.partition("?")[0]).func
    except Resolver404:
        view = None
    looking = Looking(view)
    threading.setprofile(looking)  # for a view that runs beside this thread
    sys.setprofile(looking)
    try:
        answer = Client(raise_request_exception=False).get(path, **variables)
    finally:
        sys.setprofile(None)
    facts = {"status": answer.status_code, "retry_after": answer.headers.get("Retry-After", "")}
    facts |= {"maker": looking.maker, "viewed": looking.viewed}
    sys.stdout.write(f"\n{json.dumps(facts)}\n")


if __name__ == "__main__":
    main()
