"""Server adapters, one file a family."""


def _paths(module: str, *names: str) -> dict[str, str]:
    """Dotted paths of classes by their names: granian-wsgi is GranianWsgi."""
    return {name: f"{__name__}.{module}.{name.title().replace('-', '')}" for name in names}


BUILTIN: dict[str, str] = {
    **_paths("gunicorn", "gunicorn-sync", "gunicorn-gthread", "gunicorn-gevent"),
    **_paths("gunicorn", "gunicorn-tornado", "gunicorn-uvicorn", "gunicorn-asgi"),
    **_paths("uwsgi", "uwsgi", "uwsgi-gevent", "uwsgi-http", "uwsgi-http-socket", "uwsgi-http11"),
    **_paths("apache", "apache-prefork", "apache-worker", "apache-event", "apache-daemon"),
    **_paths("uvicorn", "uvicorn"),
    **_paths("daphne", "daphne"),
    **_paths("hypercorn", "hypercorn"),
    **_paths("granian", "granian-wsgi", "granian-asgi"),
    **_paths("launched", "waitress", "cheroot", "tornado", "bjoern", "meinheld"),
    **_paths("daphne", "runserver"),
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
