"""Servers of another time: each runs under a Python of then, with a small target of its own.

Their targets and the pins of their environments lie in `targets`, as data: nothing of it can be
imported by the Python that benchsuite runs under.
"""

_HERE = "benchsuite.servers.heritage"

BUILTIN: dict[str, str] = {
    "heritage-channels0-gunicorn": f"{_HERE}.channels0.Gunicorn",
    "heritage-channels0-redis": f"{_HERE}.channels0.DaphneRedis",
    "heritage-channels0-ipc": f"{_HERE}.channels0.DaphneIpc",
    "heritage-chaussette-gunicorn": f"{_HERE}.chaussette.Gunicorn",
    "heritage-chaussette-gevent": f"{_HERE}.chaussette.Gevent",
    "heritage-chaussette-fastgevent": f"{_HERE}.chaussette.FastGevent",
    "heritage-chaussette-meinheld": f"{_HERE}.chaussette.Meinheld",
    "heritage-2012-gevent": f"{_HERE}.stack2012.Gevent",
    "heritage-2012-fastgevent": f"{_HERE}.stack2012.FastGevent",
    "heritage-2012-meinheld": f"{_HERE}.stack2012.Meinheld",
    "heritage-2012-waitress": f"{_HERE}.stack2012.Waitress",
}
