"""bench_app as it was in 2012, a WSGI callable without Django: for `--application`."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from benchsuite.target import bench_app

Start = Callable[[str, list[tuple[str, str]]], Any]


def application(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
    """Both versions where the view has them, and a page for whoever asks whether it is up."""
    page = PAGES.get(environ["PATH_INFO"])
    version = "version=2" in environ.get("QUERY_STRING", "")
    body = b"" if page is None else page(second=version)
    status = "404 Not Found" if page is None else "200 OK"
    headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))]
    start_response(status, headers)
    return [body]


def _bench_app(*, second: bool) -> bytes:
    start = time.perf_counter()
    bench_app.loop()
    if second:
        time.sleep(bench_app.pause_s())
        return bench_app.ask_database()
    time.sleep(bench_app.PAUSE_S)
    bench_app.write_small()
    return f"{time.perf_counter() - start:.4f}".encode()


PAGES: dict[str, Callable[..., bytes]] = {
    "/bench/bench_app/": _bench_app,
    "/bench/plain/": lambda **_: b"OK",
}
