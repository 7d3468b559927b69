"""Serves a WSGI application with bjoern: libev and one request at a time in each process."""

import bjoern

from benchsuite.servers.launchers.serving import application, arguments, fork, listener


def main() -> None:
    parser = arguments("bjoern")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    accepting = listener(given)
    fork(given.processes)
    bjoern.server_run(accepting, application(given.application))


if __name__ == "__main__":
    main()
