"""Serves a WSGI application with bjoern: libev and one request at a time in each process."""

import bjoern

from benchsuite.servers.launchers.serving import started

if __name__ == "__main__":
    application, listener, _ = started()
    bjoern.server_run(listener, application)
