"""A project that writes wherever it can, at every moment: what a run must keep it from."""

import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.integration.command import ROOT, Command
from tests.integration.stranger import CALLABLE, MIGRATION

SETTINGS = """
import os
from pathlib import Path
import django
BASE_DIR = Path(__file__).parent.parent
SECRET_KEY = "x"
DEBUG = True
INSTALLED_APPS = ["shop.apps.ShopConfig"]
ROOT_URLCONF = "shop.urls"
WSGI_APPLICATION = "shop.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
class Boxed(dict):  # as packages for settings have them: what is in it comes as a copy
    def __getitem__(self, key):
        value = super().__getitem__(key)
        return Boxed(value) if isinstance(value, dict) else value
DATABASES = Boxed({databases})
os.environ.setdefault("SHOP_DSN", f"sqlite:///{{BASE_DIR}}/shop.sqlite3")  # as of a file .env
SHOP_DSN = os.environ["SHOP_DSN"]
STATIC_ROOT = BASE_DIR / "static"
MEDIA_ROOT = BASE_DIR / "media"
SHOP_THUMBNAILS = MEDIA_ROOT / "thumbnails"
STORAGES = {{
    "default": {{"BACKEND": "django.core.files.storage.FileSystemStorage"}},
    "staticfiles": {{"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}},
    "private": {{"BACKEND": "django.core.files.storage.FileSystemStorage",
                "OPTIONS": {{"location": BASE_DIR / "private"}}}},
    "bucket": {{"BACKEND": "shop.storages.Bucket"}},
}}
CACHES = {{"default": {{"BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
                      "LOCATION": BASE_DIR / "cache"}}}}
if django.VERSION >= (6, 1):
    MAILERS = {{"default": {{"BACKEND": "django.core.mail.backends.filebased.EmailBackend",
                           "OPTIONS": {{"file_path": BASE_DIR / "mail"}}}}}}
else:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = BASE_DIR / "mail"
TASKS = {{"default": {{"BACKEND": "shop.tasks.FileBackend"}}}}
HAYSTACK_CONNECTIONS = {{"default": {{"ENGINE": "whoosh", "PATH": str(BASE_DIR / "index")}}}}
SHOP_QUEUE = str(BASE_DIR / "queue")
SHOP_NEWS = "django.core.mail.backends.filebased.EmailBackend"
LOGGING = {{
    "version": 1,
    "handlers": {{"file": {{"class": "logging.FileHandler", "filename": BASE_DIR / "shop.log"}}}},
    "loggers": {{"shop": {{"handlers": ["file"], "level": "INFO"}}}},
}}
"""
CONSOLE = """
from testproject.settings.console import *
BENCHSUITE = {
    "TARGET_SETTINGS": "shop.settings",
    "WORKLOADS": {"reading": "shop.bench.Reading"},
    "OVERRIDES": {"SHOP_QUEUE": "{folder}/queue"},
}
"""
WRITING = """
import logging
import os
import sqlite3
from pathlib import Path
import django
from django.conf import settings
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.mail import EmailMessage, get_connection, send_mail
from django.db import connection

def insert(dsn, event):
    if dsn.startswith("sqlite:///"):
        with sqlite3.connect(dsn.removeprefix("sqlite:///"), timeout=30) as client:
            client.execute("INSERT INTO mark VALUES (?)", [event])
        client.close()
    else:
        import psycopg
        for words in (dsn, f"dbname={os.environ['PGDATABASE']}"):  # libpq takes the rest from PG*
            with psycopg.connect(words) as client:
                client.execute("INSERT INTO mark VALUES (%s)", [event])

def write(event):
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS mark (text varchar(100))")
        cursor.execute("INSERT INTO mark VALUES (%s)", [event])
    if not connection.in_atomic_block:  # it would lock a second client out
        for dsn in (os.environ["SHOP_DSN"], settings.SHOP_DSN):
            insert(dsn, event)
    (Path(settings.STATIC_ROOT) / "all.css").write_text(event)
    for alias in ("default", "private", "bucket"):
        storages[alias].save(event + ".txt", ContentFile(event))
    cache.set(event, event)
    send_mail(event, "text", "a@shop.example", ["b@shop.example"])
    if django.VERSION < (6, 1):  # a newer one knows MAILERS alone
        mailer = get_connection(settings.SHOP_NEWS, file_path=settings.BASE_DIR / "mail")
        mailer.send_messages([EmailMessage(event, to=["b@shop.example"])])
    folders = [settings.HAYSTACK_CONNECTIONS["default"]["PATH"], settings.SHOP_QUEUE]
    for folder in (*folders, settings.SHOP_THUMBNAILS):
        Path(folder).mkdir(exist_ok=True, parents=True)
        with (Path(folder) / "all.txt").open("a") as file:
            file.write(event)
    logging.getLogger("shop").info(event)
    if django.VERSION >= (6, 0):
        from shop.tasks import pack
        pack.enqueue(event)
"""
TASKS = """
import django
if django.VERSION >= (6, 0):
    from pathlib import Path
    from django.conf import settings
    from django.tasks import task
    from django.tasks.backends.dummy import DummyBackend

    class FileBackend(DummyBackend):
        def enqueue(self, task, args, kwargs):
            with (settings.BASE_DIR / "tasks.txt").open("a") as file:
                file.write(args[0])
            return super().enqueue(task, args, kwargs)

    @task
    def pack(what):
        pass
"""
STORAGES = """
from django.conf import settings
from django.core.files.storage import FileSystemStorage
class Bucket(FileSystemStorage):
    def __init__(self):
        super().__init__(location=settings.BASE_DIR / "bucket")
    def signed(self):
        return "signed"
"""
MODELS = """
from django.db import models
from shop.writing import write
class Order(models.Model):
    text = models.CharField(max_length=100)
write("import")
"""
APPS = """
from django.apps import AppConfig
from django.db.models.signals import post_migrate, post_save
class ShopConfig(AppConfig):
    name = "shop"
    def ready(self):
        from shop.writing import write
        write("ready")
        def migrated(**kwargs):
            write("migrated")
        def saved(**kwargs):
            write("saved")
        post_migrate.connect(migrated, sender=self, weak=False)
        post_save.connect(saved, weak=False)
"""
URLS = """
import os
from django.core.files.storage import default_storage, storages
from django.http import HttpResponse
from django.urls import path
from shop.models import Order
from shop.writing import write
def page(request):
    write("viewed")
    assert os.environ["CELERY_BROKER_URL"] == "memory://"  # the default is a server
    Order.objects.create(text="viewed")
    names = ("own.txt", "prepared.txt")
    parts = [default_storage.open(name).read().decode() for name in names]
    return HttpResponse(" ".join([*parts, storages["bucket"].signed()]))
urlpatterns = [path("", page), path("plain/", lambda request: HttpResponse("OK"))]
"""
BENCH = """
from benchsuite.workloads.base import Workload
class Reading(Workload):
    name = "reading"
    def journey(self, client):
        answer = client.get("/")
        assert answer.text == "mine prepared signed", answer.text
    def prepare(self, database):
        from django.core.files.base import ContentFile
        from django.core.files.storage import default_storage
        from shop.models import Order
        from shop.writing import write
        write("prepare")
        Order.objects.create(text="prepared")
        default_storage.save("prepared.txt", ContentFile("prepared"))
        return {}
"""
LOCUSTFILE = """
import os
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
import django
django.setup()
from shop.models import Order
from locust import HttpUser, task
Order.objects.create(text="of the load")
class Reader(HttpUser):
    @task
    def read(self):
        self.client.get("/plain/")
"""
MANAGE = """
import os, sys
from django.core.management import execute_from_command_line
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console")
execute_from_command_line(sys.argv)
"""


@dataclass(frozen=True, slots=True)
class Writer:
    """The project in `folder`, which has been used before: its own things are there."""

    folder: Path
    command: Command

    def contents(self) -> dict[str, str]:
        """Every file of the project's, by what is in it."""
        return {
            str(path.relative_to(self.folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }


def writer(folder: Path, *, databases: str, **env: str) -> Writer:
    """Writes the project beside a folder for the results; `databases` is Python source, and `env`
    are variables of its own.
    """
    own, results = folder / "project", folder / "results"
    (own / "shop" / "migrations").mkdir(parents=True)
    (own / "static").mkdir()
    results.mkdir()
    for name, source in {
        "manage.py": MANAGE,
        "console.py": CONSOLE,
        "locustfile.py": LOCUSTFILE,
        "shop/__init__.py": "",
        "shop/settings.py": SETTINGS.format(databases=databases),
        "shop/writing.py": WRITING,
        "shop/tasks.py": TASKS,
        "shop/storages.py": STORAGES,
        "shop/models.py": MODELS,
        "shop/apps.py": APPS,
        "shop/migrations/__init__.py": "",
        "shop/migrations/0001_initial.py": MIGRATION.format(names=["Order"]),
        "shop/urls.py": URLS,
        "shop/wsgi.py": CALLABLE.format(kind="wsgi"),
        "shop/bench.py": BENCH,
    }.items():
        (own / name).write_text(source)
    path = os.pathsep.join([str(own), str(ROOT)])
    env |= {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = Command(results, own / "manage.py", **env)
    for settings in ("shop.settings", "console"):
        subprocess.run(
            [sys.executable, "-m", "django", "migrate", f"--settings={settings}", "-v0"],
            env=command.env,
            check=True,
            timeout=60,
        )
    (own / "media" / "own.txt").write_text("mine")
    return Writer(own, command)
