"""Server adapters, one file a family."""

BUILTIN: dict[str, str] = {
    "gunicorn-sync": "benchsuite.servers.gunicorn.GunicornSync",
    "gunicorn-gthread": "benchsuite.servers.gunicorn.GunicornGthread",
    "gunicorn-gevent": "benchsuite.servers.gunicorn.GunicornGevent",
    "gunicorn-uvicorn": "benchsuite.servers.gunicorn.GunicornUvicorn",
    "gunicorn-asgi": "benchsuite.servers.gunicorn.GunicornAsgi",
    "uwsgi": "benchsuite.servers.uwsgi.Uwsgi",
    "uvicorn": "benchsuite.servers.uvicorn.Uvicorn",
    "daphne": "benchsuite.servers.daphne.Daphne",
    "hypercorn": "benchsuite.servers.hypercorn.Hypercorn",
    "granian-wsgi": "benchsuite.servers.granian.GranianWsgi",
    "granian-asgi": "benchsuite.servers.granian.GranianAsgi",
    "waitress": "benchsuite.servers.waitress.Waitress",
    "runserver": "benchsuite.servers.runserver.Runserver",
}
