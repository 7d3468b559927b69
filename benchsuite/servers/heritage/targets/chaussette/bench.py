"""The application of the comparison of 2012, as `benchsuite.target.bench_app` has it: in the version
before July of that year, whose body is what it took, and after it. The second version is
Chaussette's own, and its threads are started by a hook.
"""

import os
import tempfile
import time

RUN = os.environ.get("BENCHSUITE_RUN", "")
VERSION = os.environ.get("HERITAGE_BENCH", "first")


def application(environ, start_response):
    """The version that was chosen at /, the first one also where today's target has it."""

    def start(status, headers, *exc_info):
        return start_response(status, list(headers) + [("X-Benchsuite-Run", RUN)], *exc_info)

    return PAGES.get(environ["PATH_INFO"], missing)(environ, start)


def first(environ, start_response):
    begun = time.time()
    start_response("200 OK", [("Content-type", "text/plain")])
    for _ in range(10000):
        10 * 1000 * 1000
    time.sleep(0.1)
    handle, path = tempfile.mkstemp(prefix="bench_app")
    for number in range(10000):
        os.write(handle, str(number).encode("ascii"))
    os.close(handle)
    os.remove(path)
    return [("%.4f" % (time.time() - begun)).encode("ascii")]


def either(environ, start_response):
    """The version that is asked for, as today's target tells them apart."""
    wanted = second if "version=2" in environ.get("QUERY_STRING", "") else first
    return wanted(environ, start_response)


def second(environ, start_response):
    from chaussette.util import bench_app

    return bench_app(environ, start_response)


def plain(environ, start_response):
    start_response("200 OK", [("Content-type", "text/plain"), ("Content-Length", "2")])
    return [b"OK"]


def slow(environ, start_response):
    """Long enough to be under way while the server is stopped."""
    time.sleep(1)
    return plain(environ, start_response)


def missing(environ, start_response):
    start_response("404 Not Found", [("Content-type", "text/plain"), ("Content-Length", "0")])
    return [b""]


PAGES = {
    "/": second if VERSION == "second" else first,
    "/bench/bench_app/": either,
    "/bench/plain/": plain,
    "/slow/": slow,
}
