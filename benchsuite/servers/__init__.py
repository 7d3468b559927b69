"""Server adapters, one file a family."""

BUILTIN: dict[str, str] = {
    "gunicorn-sync": "benchsuite.servers.gunicorn.GunicornSync",
    "gunicorn-gthread": "benchsuite.servers.gunicorn.GunicornGthread",
    "gunicorn-gevent": "benchsuite.servers.gunicorn.GunicornGevent",
    "gunicorn-tornado": "benchsuite.servers.gunicorn.GunicornTornado",
    "gunicorn-uvicorn": "benchsuite.servers.gunicorn.GunicornUvicorn",
    "gunicorn-asgi": "benchsuite.servers.gunicorn.GunicornAsgi",
    "uwsgi": "benchsuite.servers.uwsgi.Uwsgi",
    "uwsgi-gevent": "benchsuite.servers.uwsgi.UwsgiGevent",
    "uwsgi-http": "benchsuite.servers.uwsgi.UwsgiHttp",
    "uwsgi-http-socket": "benchsuite.servers.uwsgi.UwsgiHttpSocket",
    "uwsgi-http11": "benchsuite.servers.uwsgi.UwsgiHttp11",
    "apache-prefork": "benchsuite.servers.apache.ApachePrefork",
    "apache-worker": "benchsuite.servers.apache.ApacheWorker",
    "apache-event": "benchsuite.servers.apache.ApacheEvent",
    "apache-daemon": "benchsuite.servers.apache.ApacheDaemon",
    "uvicorn": "benchsuite.servers.uvicorn.Uvicorn",
    "daphne": "benchsuite.servers.daphne.Daphne",
    "hypercorn": "benchsuite.servers.hypercorn.Hypercorn",
    "granian-wsgi": "benchsuite.servers.granian.GranianWsgi",
    "granian-asgi": "benchsuite.servers.granian.GranianAsgi",
    "waitress": "benchsuite.servers.launched.Waitress",
    "cheroot": "benchsuite.servers.launched.Cheroot",
    "tornado": "benchsuite.servers.launched.Tornado",
    "bjoern": "benchsuite.servers.launched.Bjoern",
    "meinheld": "benchsuite.servers.launched.Meinheld",
    "runserver": "benchsuite.servers.daphne.Runserver",
    **{
        f"circus-{started}": f"benchsuite.servers.circus.circus-{started}"
        for started in (
            *("gunicorn-sync", "gunicorn-gthread", "gunicorn-gevent", "gunicorn-tornado"),
            *("gunicorn-uvicorn", "gunicorn-asgi", "uwsgi-http-socket", "uvicorn", "daphne"),
            *("hypercorn", "waitress", "tornado", "bjoern", "meinheld"),
            *("chaussette-gevent", "chaussette-bjoern", "chaussette-meinheld"),
        )
    },
}
