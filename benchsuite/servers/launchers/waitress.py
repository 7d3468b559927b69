"""Serves a WSGI application with waitress on an inherited socket, which its command can't."""

import waitress

from benchsuite.servers.launchers.serving import started

if __name__ == "__main__":
    application, listener, given = started()
    waitress.serve(
        application,
        sockets=[listener],
        threads=given.threads,
        backlog=given.backlog,
        connection_limit=given.connection_limit,
        channel_timeout=given.channel_timeout,
        cleanup_interval=given.cleanup_interval,
    )
