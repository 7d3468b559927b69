"""Serves a WSGI application with meinheld: picoev and greenlets in each process."""

from meinheld import server

from benchsuite.servers.launchers.serving import application, arguments, fork, listener


def main() -> None:
    parser = arguments("meinheld")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--keep-alive", type=int, default=5)
    given = parser.parse_args()
    server.set_backlog(given.backlog)
    server.set_listen_socket(listener(given).detach())
    fork(given.processes)
    server.set_keepalive(given.keep_alive)
    server.set_access_logger(None)
    server.run(application(given.application))


if __name__ == "__main__":
    main()
