"""Daphne, and Django's development server; see github.com/django/daphne."""

from benchsuite.servers.base import BACKLOG, ServerAdapter


class Daphne(ServerAdapter):
    """One process with Twisted's reactor; sync views run in asgiref's threads."""

    name = distribution = program = "daphne"
    interface = "asgi"
    max_processes = 1
    websocket = True
    line = "-v 0 WHERE APPLICATION"  # verbosity 0 is warnings and errors; 1 writes an access log
    listens = "-e tcp:port={port}:interface={host}:backlog={backlog}"
    inherits = "--fd {descriptor}"
    for_processes = (
        "take circus-daphne for more of them on one socket, --front=nginx with --instances, or "
        "uvicorn, hypercorn or granian-asgi"
    )
    options = {"backlog": BACKLOG}


class Runserver(ServerAdapter):
    """One process with a thread for each connection; for comparison, not for production. It serves
    the WSGI_APPLICATION of the settings, not the callable of `Application`.
    """

    name = "runserver"
    interface = "wsgi"
    distribution = program = "django"
    max_processes = 1
    for_production = False
    line = "runserver WHERE --noreload"
    listens = "{host}:{port}"
    for_threads = (
        "it starts one for each connection; take gunicorn-gthread, granian-wsgi, uwsgi or waitress "
        "for a fixed number"
    )
