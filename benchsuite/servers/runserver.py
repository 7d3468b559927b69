"""Django's development server; see docs.djangoproject.com, "runserver"."""

from benchsuite.servers.base import ServerAdapter


class Runserver(ServerAdapter):
    """One process with a thread for each connection; for comparison, not for production.

    It serves the WSGI_APPLICATION of the settings, not the callable of `Application`.
    """

    name = "runserver"
    interface = "wsgi"
    distribution = "django"
    max_processes = 1
    for_production = False
    for_threads = (
        "it starts one for each connection; take gunicorn-gthread, granian-wsgi, uwsgi or waitress "
        "for a fixed number"
    )

    def argv(self, host: str, port: int) -> list[str]:
        return [*self.python.module("django"), "runserver", f"{host}:{port}", "--noreload"]
