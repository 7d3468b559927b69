"""Serves a WSGI application with waitress on an inherited socket, which its command can't."""

import waitress

from benchsuite.servers.launchers.serving import application, arguments, listener


def main() -> None:
    parser = arguments("waitress")
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--keep-alive", type=int, default=5)
    told = parser.parse_args()
    waitress.serve(
        application(told.application),
        sockets=[listener(told)],
        threads=told.threads,
        backlog=told.backlog,
        connection_limit=told.connections,
        channel_timeout=told.keep_alive,
        cleanup_interval=told.keep_alive,  # it checks for idle connections only this often
    )


if __name__ == "__main__":
    main()
