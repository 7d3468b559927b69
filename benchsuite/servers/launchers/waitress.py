"""Serves a WSGI application with waitress on an inherited socket, which its command can't."""

import waitress

from benchsuite.servers.launchers.serving import application, arguments, listener


def main() -> None:
    parser = arguments("waitress")
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--keep-alive", type=int, default=5)
    given = parser.parse_args()
    waitress.serve(
        application(given.application),
        sockets=[listener(given)],
        threads=given.threads,
        backlog=given.backlog,
        connection_limit=given.connections,
        channel_timeout=given.keep_alive,
        cleanup_interval=given.keep_alive,  # it checks for idle connections only this often
    )


if __name__ == "__main__":
    main()
