"""Serves a WSGI application with Tornado: an event loop, and threads for the application."""

import asyncio
import signal
from concurrent.futures import ThreadPoolExecutor

from tornado.httpserver import HTTPServer
from tornado.wsgi import WSGIContainer

from benchsuite.servers.launchers.serving import started, trimmed


async def main() -> None:
    # With one thread it answers in the event loop, as Tornado does by default.
    executor = ThreadPoolExecutor(given.threads) if given.threads > 1 else None
    container = WSGIContainer(trimmed(application), executor=executor)
    server = HTTPServer(container, idle_connection_timeout=float(given.keep_alive))
    server.add_socket(listener)
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    await ending.wait()
    server.stop()
    await server.close_all_connections()


if __name__ == "__main__":
    application, listener, given = started()
    asyncio.run(main())
