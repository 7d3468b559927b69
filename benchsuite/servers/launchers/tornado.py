"""Serves a WSGI application with Tornado: an event loop, and threads for the application."""

import asyncio
import signal
from concurrent.futures import ThreadPoolExecutor

from tornado.httpserver import HTTPServer
from tornado.wsgi import WSGIContainer

from benchsuite.servers.launchers.serving import application, arguments, fork, listener, trimmed


async def serve(server: HTTPServer) -> None:
    """Until SIGTERM."""
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    await ending.wait()
    server.stop()
    await server.close_all_connections()


def main() -> None:
    parser = arguments("tornado")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--keep-alive", type=float, default=5.0)
    given = parser.parse_args()
    accepting = listener(given)
    fork(given.processes)
    # With one thread it answers in the event loop, as Tornado does by default.
    executor = ThreadPoolExecutor(given.threads) if given.threads > 1 else None
    container = WSGIContainer(trimmed(application(given.application)), executor=executor)

    async def run() -> None:
        server = HTTPServer(container, idle_connection_timeout=given.keep_alive)
        server.add_socket(accepting)
        await serve(server)

    asyncio.run(run())


if __name__ == "__main__":
    main()
