"""What to paste to have the configuration that was recommended, for the project's application."""

from collections.abc import Mapping
from dataclasses import replace

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import RunSpec
from benchsuite.runner import environments, planning
from benchsuite.servers import deploying
from benchsuite.servers.base import Application, Place
from benchsuite.tuning.trial import Candidate

ADDRESS = "127.0.0.1:8000"


def texts(pick: Candidate, spec: RunSpec) -> Mapping[str, str]:
    """Kind → text, such as "gunicorn.conf.py" and "systemd".

    Raises UsageError for a server that isn't known here or not deployed, UnavailableError for a
    Python that isn't here.
    """
    server = replace(
        spec.server,
        server=pick.server,
        processes=pick.processes,
        threads=pick.threads,
        options=dict(pick.options),
    )
    plan = planning.resolve(replace(spec, server=server))
    if plan.python is None:
        raise UnavailableError(
            f"The environment {server.environment_name} is not built here, so there is nothing to "
            "paste."
        )
    place = Place(interpreter=plan.python)
    adapter = type(plan.server)(server, application(server.application), place)
    found = dict(adapter.deployment(ADDRESS))
    if not found:
        raise UsageError(f"{server.server} is not for production: there is nothing to paste.")
    if settings := deploying.databases(spec.database):
        found["settings"] = settings
    return found


def application(asked: str) -> Application:
    """The one that was asked for, else that of the project's settings."""
    if asked:
        return Application(wsgi=asked, asgi=asked)
    settings = environments.target_settings()
    wsgi = getattr(settings, "WSGI_APPLICATION", None)
    if not wsgi:
        raise UsageError("The settings name no WSGI_APPLICATION, so there is nothing to paste.")
    beside = wsgi.replace(".wsgi.", ".asgi.")
    asgi = getattr(settings, "ASGI_APPLICATION", None) or beside
    return Application.dotted(wsgi, asgi)
