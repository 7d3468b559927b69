"""Heritage servers: each runs under a Python of its era, with a small target of its own.

Their targets and pinned requirements are in `targets`, as data: the Python of benchsuite can't
import any of it.
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
