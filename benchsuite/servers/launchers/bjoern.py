"""Serves a WSGI application with bjoern: libev and one request at a time in each process."""

import bjoern

from benchsuite.servers.launchers.serving import application, arguments, fork, listener


def main() -> None:
    parser = arguments("bjoern")
    parser.add_argument("--processes", type=int, default=1)
    told = parser.parse_args()
    accepting = listener(told)
    fork(told.processes)
    bjoern.server_run(accepting, application(told.application))


if __name__ == "__main__":
    main()
