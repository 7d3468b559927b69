"""What to paste to have the configuration that was recommended, for the project's application."""

from collections.abc import Mapping
from contextlib import suppress

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import RunSpec
from benchsuite.isolation.instructions import ANSWERING
from benchsuite.isolation.served.project import named
from benchsuite.runner import environments, planning
from benchsuite.servers import deploying
from benchsuite.servers.base import Application, Place
from benchsuite.tuning.candidates import configured
from benchsuite.tuning.trial import Candidate

ADDRESS = "127.0.0.1:8000"


def texts(pick: Candidate, spec: RunSpec) -> Mapping[str, str]:
    """Kind → text, such as "gunicorn.conf.py" and "systemd".

    Raises UsageError for a server that isn't known here or not deployed, UnavailableError for a
    Python that isn't here.
    """
    spec = configured(spec, pick)
    server, plan = spec.server, planning.resolve(spec)
    if plan.python is None:
        raise UnavailableError(
            f"The environment {server.environment_name} is not built here, so there is nothing to "
            "paste."
        )
    place = Place(interpreter=plan.python)
    served = application(server.application, plan.server.interface)
    adapter = type(plan.server)(server, served, place)
    found = dict(adapter.deployment(ADDRESS))
    if not found:
        raise UsageError(f"{server.server} is not for production: there is nothing to paste.")
    if settings := deploying.databases(spec.database):
        found["settings"] = settings
    return found


def application(asked: str, interface: str) -> Application:
    """The one that was asked for, else the project's of that interface."""
    if asked:
        return Application(wsgi=asked, asgi=asked)
    settings = environments.target_settings()
    said = {name: getattr(settings, name, None) for name in ANSWERING}
    path = ""
    with suppress(ModuleNotFoundError):  # its package is another Python's
        path = named(interface, said)
    if not path:
        raise UsageError(
            f"The project has no {interface.upper()} application to paste, and Django's own was "
            f"measured: write {interface}.py as startproject does, and name it in "
            f"{interface.upper()}_APPLICATION."
        )
    return Application.dotted(path, path)
