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
    code = getattr(inspect.unwrap(view), "__code__", None)  # type: ignore[arg-type]
    viewed, makers = [], []

    def look(frame: FrameType, event: str, returned: Any) -> None:
        if event == "call" and frame.f_code is code:
            viewed.append(True)
        elif event == "return" and isinstance(returned, HttpResponseBase):
            makers.append(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}")

    threading.setprofile(look)  # for a view that runs beside this thread
    sys.setprofile(look)
    try:
        answer = Client(raise_request_exception=False).get(path, **variables)
    finally:
        sys.setprofile(None)
    own = (maker for maker in makers if not maker.startswith(DJANGOS))
    facts = {
        "status": answer.status_code,
        "retry_after": answer.headers.get("Retry-After", ""),
        "maker": next(own, next(iter(makers), "")),
        "viewed": bool(viewed),
    }
    sys.stdout.write(f"\n{json.dumps(facts)}\n")


if __name__ == "__main__":
    main()
