"""Somebody else's Django project, as different from ours as it may be; written to a folder."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from benchsuite.core.specs import DatabaseSpec, WorkloadSpec
from benchsuite.isolation import facts
from benchsuite.isolation.databases.client import throwaway
from benchsuite.isolation.instructions import RUN_VARIABLE, Instructions, about_the_project
from benchsuite.system.network import free_port
from benchsuite.system.process import running, wait_until_ready
from benchsuite.telemetry.prober.answer import Probe

TOKEN = "feedc0de" * 4

SETTINGS = """
from pathlib import Path
BASE = Path(__file__).parent.parent
SECRET_KEY = "x"
DEBUG = True
ALLOWED_HOSTS = ["shop.example"]
INSTALLED_APPS = ["shop"]
MIDDLEWARE = ["django.middleware.security.SecurityMiddleware"]
SECURE_SSL_REDIRECT = True
ROOT_URLCONF = "shop.urls"
WSGI_APPLICATION = "shop.wsgi.application"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {databases}
{more}
"""
MODELS = """
from django.db import models
class Order(models.Model):
    text = models.CharField(max_length=100)
class Log(models.Model):
    text = models.CharField(max_length=100)
"""
MIGRATION = """
from django.db import migrations, models
class Migration(migrations.Migration):
    initial = True
    operations = [
        migrations.CreateModel(name, [
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("text", models.CharField(max_length=100)),
        ])
        for name in {names}
    ]
"""
URLS = """
from django.conf import settings
from django.db import connections
from django.http import JsonResponse
from django.urls import path
from shop.models import Log, Order
def order(request):
    Order.objects.create(text="bought")
    Log.objects.create(text="logged")
    return JsonResponse({"orders": Order.objects.count()})
def settle(request):
    names = {alias: str(connections[alias].settings_dict["NAME"]) for alias in connections}
    users = {alias: str(connections[alias].settings_dict["USER"]) for alias in connections}
    counts = {"orders": Order.objects.count(), "logs": Log.objects.count()}
    return JsonResponse({"debug": settings.DEBUG, "names": names, "users": users, **counts})
urlpatterns = [path("order/", order), path("settle/", settle)]
"""
CALLABLE = """
import os
from django.core.{kind} import get_{kind}_application
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
application = get_{kind}_application()
"""
WORKLOAD = """
from benchsuite.workloads.base import Workload
class Orders(Workload):
    name = "orders"
    def journey(self, client):
        client.get("/order/")
    def prepare(self, database):
        from shop.models import Order
        Order.objects.bulk_create(Order(text="seeded") for _ in range(database.rows))
        return {"cookies": {"flavour": "oat"}, "options": {}}
    def count(self, database):
        from shop.models import Log, Order
        return {"orders": Order.objects.count(), "logs": Log.objects.count()}
"""


@dataclass(frozen=True, slots=True)
class Stranger:
    """A project in `folder`, with its own database."""

    folder: Path

    @property
    def env(self) -> dict[str, str]:
        """What finds the project; the keeper and the servers get it from the run."""
        here = str(Path(__file__).parent.parent.parent)
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(self.folder), here])}
        return {name: value for name, value in env.items() if name != "DJANGO_SETTINGS_MODULE"}

    def manage(self, *words: str) -> None:
        """A management command of the project, on its own database."""
        subprocess.run(
            [sys.executable, "-m", "django", *words, "--settings=shop.settings"],
            env=self.env,
            check=True,
            capture_output=True,
            timeout=60,
        )

    @contextmanager
    def kept(self, *, use="throwaway", rows=3, needs_target_app=False, database_url="", **database):
        """The keeper of a command that measures the project."""
        folder = self.folder / "run"
        folder.mkdir()
        order = facts.Order(
            workload_path="shop.bench.Orders",
            workload=WorkloadSpec(workload="orders"),
            database=DatabaseSpec(use=use, rows=rows, **database),
        )
        instructions = Instructions(
            settings_module="shop.settings",
            token="0123456789ab",
            folder=str(folder.resolve()),
            database_url=database_url,
            needs_target_app=needs_target_app,
        )
        log = self.folder / "keeper.log"
        with throwaway(order, instructions, log=log, env=self.env) as keeper:
            yield keeper

    @contextmanager
    def served(self, instructions: Path) -> Iterator[int]:
        """The project on a real server, as a run would start it; its port."""
        port = free_port()
        argv = [sys.executable, "-m", "django", "runserver", f"127.0.0.1:{port}", "--noreload"]
        env = {
            **self.env,
            **about_the_project(instructions),
            RUN_VARIABLE: TOKEN,
        }
        log = self.folder / "server.log"
        with running(argv, name="runserver", log=log, env=env, marker=TOKEN) as process:
            url = f"http://127.0.0.1:{port}/settle/"
            wait_until_ready(process, Probe(url, TOKEN, timeout_s=30), timeout_s=30)
            yield port


def stranger(folder: Path, *, databases: str, more: str = "", wsgi: str | None = None) -> Stranger:
    """Writes the project; `databases` and `more` are Python source of its settings."""
    package = folder / "shop"
    (package / "migrations").mkdir(parents=True)
    sources = {
        "__init__.py": "",
        "settings.py": SETTINGS.format(databases=databases, more=more),
        "models.py": MODELS,
        "migrations/__init__.py": "",
        "migrations/0001_initial.py": MIGRATION.format(names=["Order", "Log"]),
        "urls.py": URLS,
        "wsgi.py": CALLABLE.format(kind="wsgi") if wsgi is None else wsgi,
        "asgi.py": CALLABLE.format(kind="asgi"),
        "bench.py": WORKLOAD,
    }
    for name, source in sources.items():
        (package / name).write_text(source)
    return Stranger(folder)


def get(port: int, path: str) -> tuple[int, bytes, str | None]:
    """Status, body and the run's header of one answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read(), response.getheader("X-Benchsuite-Run")
    finally:
        connection.close()
