"""What every adapter has from the contract: defaults, options, refusals, availability."""

from importlib import metadata

from benchsuite.core.specs import ServerSpec
from benchsuite.servers.base import Application, ServerAdapter

APPLICATION = Application(wsgi="shop.wsgi:application", asgi="shop.asgi:application")


class Plain(ServerAdapter):
    name = "plain-server"
    interface = "wsgi"
    distribution = "plainserver"
    companions = ("plainloop",)
    max_processes = 2
    options = {"backlog": 10, "loop": "auto", "preload": False, "wait_s": 1.5}

    def argv(self, host, port):
        return ["plain", f"{host}:{port}"]


class Threaded(Plain):
    threads_word = "threads"
    default_threads = 4
    max_processes = None


def plain(**options):
    return Plain(ServerSpec(server="plain-server", options=options), APPLICATION)


def installed(monkeypatch, **versions):
    """Makes just these distributions installed."""

    def version(name):
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "version", version)


def test_availability(monkeypatch, golden):
    def available(**versions):
        installed(monkeypatch, **versions)
        return Plain.version(), Plain.available()

    golden.cases(available)


def test_values(golden):
    golden.values()
