"""Channels of 2016, before 1.0: HTTP goes from Daphne through a channel layer to workers."""

import hashlib
from collections.abc import Mapping, Sequence

from benchsuite.core.specs import Within
from benchsuite.servers.base import BACKLOG, TAKE_THREADS
from benchsuite.servers.heritage.base import Heritage


class Channels0(Heritage):
    """A page of two bytes under Django 1.10, without middleware and without a database."""

    target = "channels0"
    pythons = ("2.7", "3.6")
    proof = "import asgi_ipc, asgi_redis, channels, daphne, django, gunicorn, twisted.web.http"
    answers = ("plain",)
    layer = ""  #: The channel layer in the target's settings.

    def env(self) -> dict[str, str]:
        return {
            **super().env(),
            "DJANGO_SETTINGS_MODULE": "heritage.settings",
            "HERITAGE_LAYER": self.layer,
            "HERITAGE_PREFIX": self.prefix,
        }

    @property
    def prefix(self) -> str:
        """Prefix of all names in a channel layer, unique to this start."""
        digest = hashlib.sha256(str(self.place.folder).encode()).hexdigest()
        return f"benchsuite-{digest[:16]}"


class Gunicorn(Channels0):
    """Django without Channels: the baseline."""

    name = "heritage-channels0-gunicorn"
    interface = "wsgi"
    distribution = "gunicorn"
    keeps_alive = False
    finishes_in_flight = True
    for_threads = TAKE_THREADS
    options = {"backlog": BACKLOG}

    def argv(self, host: str, port: int) -> list[str]:
        command = [self.python.script("gunicorn"), "heritage.wsgi:application"]
        command += ["--bind", f"{host}:{port}", "--workers", str(self.processes)]
        return [*command, "--worker-class", "sync", "--backlog", str(self.settings["backlog"])]

    def env(self) -> dict[str, str]:
        return {**super().env(), "GUNICORN_CMD_ARGS": ""}

    def expected_processes(self) -> int:
        return 1 + self.processes


class Daphne(Channels0):
    """One Daphne; `workers` processes of `runworker` answer what it sends through the layer."""

    interface = "asgi"
    distribution = "daphne"
    finishes_in_flight = True
    max_processes = 1
    for_processes = "take more workers: --option workers=N"
    for_threads = "take more workers: --option workers=N"
    options = {"workers": 1}
    limits = {"workers": Within(1)}

    def argv(self, host: str, port: int) -> list[str]:
        command = [self.python.script("daphne"), "-v", "0", "-b", host, "-p", str(port)]
        return [*command, "heritage.asgi:channel_layer"]

    def companion_processes(self) -> Mapping[str, Sequence[str]]:
        manage = str(self.target_folder / "manage.py")
        command = [self.python.executable, manage, "runworker", "-v", "0"]
        return {f"runworker {n + 1}": command for n in range(int(self.settings["workers"]))}


class DaphneRedis(Daphne):
    """Through lists in Redis (asgi_redis)."""

    name = "heritage-channels0-redis"
    services = ("redis",)

    def env(self) -> dict[str, str]:
        return {**super().env(), "HERITAGE_LAYER": self.place.services.get("redis", "")}


class DaphneIpc(Daphne):
    """Through shared memory and semaphores (asgi_ipc), which it leaves behind."""

    name = "heritage-channels0-ipc"
    layer = "ipc"

    def shared_memory(self) -> str:
        return self.prefix
