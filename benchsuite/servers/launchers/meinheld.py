"""Serves a WSGI application with meinheld: picoev and greenlets in each process."""

from meinheld import server

from benchsuite.servers.launchers.serving import started

if __name__ == "__main__":
    application, listener, given = started()
    server.set_backlog(given.backlog)
    server.set_listen_socket(listener.detach())
    server.set_keepalive(given.keep_alive)
    server.set_access_logger(None)
    server.run(application)
