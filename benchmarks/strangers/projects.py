"""The projects that are tried: what their documentation says, and which page is measured."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

QUICKSTART = 'INSTALLED_APPS = [*INSTALLED_APPS, "benchsuite"]\n'
PAGES = """
from django.urls import include as include_benchsuite, path as path_benchsuite
urlpatterns = [path_benchsuite("results/", include_benchsuite("benchsuite.urls")), *urlpatterns]
"""
"""The two lines of the quickstart, put at the end of a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stranger:
    """Commands run in the project's folder, with its environment's programs first on the PATH."""

    name: str
    kind: str  #: What it serves, and what its settings are like, in a few words for the table.
    install: tuple[str, ...]  #: Requirements; the first one's version is shown.
    settings: str  #: DJANGO_SETTINGS_MODULE.
    settings_file: str
    urls_file: str
    """Where the two lines go, below the project's folder; written anew where there is none."""
    make: tuple[str, ...] = ()  #: Commands that write the project.
    files: Mapping[str, str] = field(default_factory=dict)
    """What its documentation says to put into files: path to what is added at their end."""
    fill: tuple[str, ...] = ()  #: Commands after `migrate`, for data of theirs.
    manage: str = "python manage.py"
    measured: str = "--path=/"  #: What is said to runbench beside servers and load.
    servers: str = "gunicorn-gthread,uvicorn"
    tuned: str = ""  #: What is said to tunebench; empty for those that are not tuned.
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables that the project asks for; {folder} is the project's."""
    python: tuple[int, int] = (3, 11)  #: The oldest Python that can install it.
    fetched: str = ""
    """The repository of a project that is on no index: fetched by hand into --fetched."""


_WRAPPED = "from {0} import *\nROOT_URLCONF = 'tried_urls'\n"
"""Settings of a project that lies in site-packages, where nobody edits."""

_OSCAR = """
from oscar.defaults import *
INSTALLED_APPS += ["django.contrib.sites", "django.contrib.flatpages", "oscar.config.Shop"]
INSTALLED_APPS += [
    f"oscar.apps.{name}.apps.{name.title()}Config"
    for name in (
        "analytics", "checkout", "address", "shipping", "catalogue", "communication", "partner",
        "basket", "payment", "offer", "order", "customer", "search", "voucher", "wishlists",
        "dashboard",
    )
]
INSTALLED_APPS += ["oscar.apps.catalogue.reviews.apps.CatalogueReviewsConfig"]
INSTALLED_APPS += [
    f"oscar.apps.dashboard.{name}.apps.{name.title()}DashboardConfig"
    for name in (
        "reports", "users", "orders", "catalogue", "offers", "partners", "pages", "ranges",
        "reviews", "vouchers", "communications", "shipping",
    )
]
INSTALLED_APPS += ["widget_tweaks", "haystack", "treebeard", "django_tables2"]
SITE_ID = 1
MIDDLEWARE += ["oscar.apps.basket.middleware.BasketMiddleware"]
TEMPLATES[0]["OPTIONS"]["context_processors"] += [
    "oscar.apps.search.context_processors.search_form",
    "oscar.apps.checkout.context_processors.checkout",
    "oscar.apps.communication.notifications.context_processors.notifications",
    "oscar.core.context_processors.metadata",
]
HAYSTACK_CONNECTIONS = {"default": {
    "ENGINE": "haystack.backends.whoosh_backend.WhooshEngine",
    "PATH": BASE_DIR / "whoosh_index",
}}
MEDIA_ROOT = BASE_DIR / "media"
STATIC_ROOT = BASE_DIR / "static"
"""
_OSCAR_URLS = """
from django.apps import apps
from django.conf.urls.i18n import i18n_patterns
urlpatterns += [path("i18n/", include("django.conf.urls.i18n"))]
urlpatterns += i18n_patterns(path("", include(apps.get_app_config("oscar").urls[0])))
"""

_API_URLS = """
from django.contrib.auth.models import User
from rest_framework import routers, serializers, viewsets
class UserSerializer(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = User
        fields = ["url", "username", "email", "is_staff"]
class UserViewSet(viewsets.ModelViewSet):
    queryset = User.objects.all()
    serializer_class = UserSerializer
router = routers.DefaultRouter()
router.register("users", UserViewSet)
urlpatterns += [path("", include(router.urls))]
"""
_API = """
INSTALLED_APPS += ["rest_framework"]
REST_FRAMEWORK = {"DEFAULT_PERMISSION_CLASSES": [
    "rest_framework.permissions.DjangoModelPermissionsOrAnonReadOnly",
]}
"""

_CHAT = """
import json
from channels.generic.websocket import AsyncWebsocketConsumer
class ChatConsumer(AsyncWebsocketConsumer):
    async def connect(self):
        self.room = "chat_" + self.scope["url_route"]["kwargs"]["room_name"]
        await self.channel_layer.group_add(self.room, self.channel_name)
        await self.accept()
    async def disconnect(self, close_code):
        await self.channel_layer.group_discard(self.room, self.channel_name)
    async def receive(self, text_data):
        message = {"type": "chat.message", "message": json.loads(text_data)["message"]}
        await self.channel_layer.group_send(self.room, message)
    async def chat_message(self, event):
        await self.send(text_data=json.dumps({"message": event["message"]}))
"""
_CHAT_ASGI = """
from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.urls import re_path
from chat import consumers
sockets = [re_path(r"ws/chat/(?P<room_name>\\w+)/$", consumers.ChatConsumer.as_asgi())]
application = ProtocolTypeRouter({
    "http": application,
    "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(sockets))),
})
"""

_ARA_FILL = """
import django
django.setup()
from rest_framework.test import APIClient
api = APIClient(SERVER_NAME="localhost")
def post(kind, **data):
    made = api.post(f"/api/v1/{kind}", data, format="json")
    assert made.status_code == 201, made.content
    return made.json()["id"]
for number in range(60):
    book = post("playbooks", ansible_version="2.18.1", status="completed",
        path=f"/srv/site{number}.yml", started="2026-01-01T10:00:00Z", ended="2026-01-01T10:01:00Z",
        arguments={"check": False, "tags": ["all"]}, labels=[f"team{number % 7}"])
    path = f"/srv/site{number}.yml"
    file = post("files", playbook=book, path=path, content="---\\n- hosts: all\\n")
    play = post("plays", playbook=book, name="all", status="completed",
        uuid=f"5c5f67b9-e63c-6297-80da-{number:012d}")
    hosts = [
        post("hosts", playbook=book, name=f"web{one}", facts={"os": "linux"}) for one in range(4)
    ]
    for place in range(5):
        task = post("tasks", playbook=book, play=play, file=file, name=f"step {place}",
            lineno=place + 1, action="command", status="completed", tags=["all"], handler=False)
        for host in hosts:
            post("results", playbook=book, play=play, task=task, host=host, status="ok",
                content={"changed": place % 2 == 0, "stdout": "done"})
"""

_SUPERUSER = "python manage.py createsuperuser --noinput --username owner --email owner@example.org"
_PASSWORD = {"DJANGO_SUPERUSER_PASSWORD": "not-secret"}
_INCLUDE = "from django.urls import include\n"
_ASK = (
    'python -c "import django; django.setup(); from django.test import Client; '
    "assert Client(SERVER_NAME='localhost').get('{}', secure=True).status_code == 200\""
)
"""Makes the small copies of images, which who serves a project has made long ago."""

_BAKERY = "bakerydemo/base/fixtures/bakerydemo.json,renditions.json"
_SANDBOX = (
    "loaddata sandbox/fixtures/auth.json",
    "loaddata sandbox/fixtures/child_products.json",
    "oscar_import_catalogue sandbox/fixtures/books.computers-in-fiction.csv "
    "sandbox/fixtures/books.essential.csv sandbox/fixtures/books.hacking.csv",
    "oscar_import_catalogue_images sandbox/fixtures/images.tar.gz",
    "oscar_populate_countries --initial-only",
    *(f"loaddata sandbox/fixtures/{one}.json" for one in ("pages", "ranges", "offers", "orders")),
    "clear_index --noinput",
    "update_index catalogue",
    "collectstatic --noinput",
)
_SHOP = (
    "python sandbox/manage.py dumpdata --natural-foreign --exclude=contenttypes --exclude=admin "
    "--exclude=auth.permission --exclude=benchsuite --exclude=sessions "
    "--exclude=catalogue.productcategoryhierarchy --output=shop.json"
)
_BOOK = "/en-gb/catalogue/snow-crash_12/"
_KEPT = (
    "options = TEMPLATES[0]['OPTIONS']\n"
    "keeping = 'django.template.loaders.cached.Loader'\n"
    "options['loaders'] = [(keeping, options['loaders'])]\n"
)
"""Without it the sandbox reads and compiles its templates for each page anew."""
_MISSING_IMAGE = (
    "import oscar, pathlib, shutil; "
    "own = pathlib.Path(oscar.__file__).parent / 'static/oscar/img/image_not_found.jpg'; "
    "shutil.copy(own, 'sandbox/public/media/')"
)

_TRIED: dict[str, Any] = {
    "manage": "python -m django",
    "settings": "tried",
    "settings_file": "tried.py",
    "urls_file": "tried_urls.py",
}


def _package(name: str) -> dict[str, Any]:
    """Where settings and URLs are, as `startproject` makes them."""
    files = {"settings_file": f"{name}/settings.py", "urls_file": f"{name}/urls.py"}
    return {"settings": f"{name}.settings", **files}


STRANGERS = (
    Stranger(
        name="startproject",
        kind="what Django 6.1 itself writes: MAILERS",
        install=("django~=6.1.0",),
        python=(3, 12),
        make=("django-admin startproject mysite .",),
        **_package("mysite"),
        fill=(_SUPERUSER,),
        env=_PASSWORD,
        measured="--path=/admin/login/",
    ),
    Stranger(
        name="wagtail",
        kind="content; a settings package, manifest storage",
        install=("wagtail",),
        make=("wagtail start mysite .",),
        settings="mysite.settings.dev",
        settings_file="mysite/settings/base.py",
        urls_file="mysite/urls.py",
        fill=(_SUPERUSER,),
        env=_PASSWORD,
    ),
    Stranger(
        name="oscar",
        kind="shop; settings from a package, a search index, i18n_patterns",
        install=("django-oscar", "whoosh", "sorl-thumbnail", "pycountry"),
        make=("django-admin startproject frobshop .",),
        **_package("frobshop"),
        files={
            "frobshop/settings.py": _OSCAR + 'INSTALLED_APPS += ["sorl.thumbnail"]\n',
            "frobshop/urls.py": _INCLUDE + _OSCAR_URLS,
        },
        fill=(_SUPERUSER, "python manage.py oscar_populate_countries --initial-only"),
        env=_PASSWORD,
        measured="--path=/en-us/catalogue/",
    ),
    Stranger(
        name="rest",
        kind="API; the README's example",
        install=("djangorestframework",),
        make=("django-admin startproject example .",),
        **_package("example"),
        files={"example/settings.py": _API, "example/urls.py": _INCLUDE + _API_URLS},
        fill=(_SUPERUSER, "python manage.py dumpdata auth.user --output=users.json"),
        env=_PASSWORD,
        measured="--path=/users/ --fixture=users.json",
    ),
    Stranger(
        name="pretalx",
        kind="forms; own LOGGING, manifest storage, own user model",
        install=("pretalx",),
        python=(3, 12),
        **_TRIED,
        files={
            "tried.py": _WRAPPED.format("pretalx.settings"),
            "tried_urls.py": "from pretalx.urls import urlpatterns\n",
        },
        env={"PRETALX_DATA_DIR": "{folder}/data"},
        measured="--path=/orga/login/",
    ),
    Stranger(
        name="pretix",
        kind="shop; own LOGGING, Celery, a router and three names of one database",
        install=("pretix",),
        **_TRIED,
        files={
            "tried.py": _WRAPPED.format("pretix.settings"),
            "tried_urls.py": "from pretix.multidomain.maindomain_urlconf import *\n",
            "pretix.cfg": "[replica]\n[dbreadonly]\n",
        },
        env={"DATA_DIR": "{folder}/data", "PRETIX_CONFIG_FILE": "{folder}/pretix.cfg"},
        measured="--path=/control/login --host=localhost",
    ),
    Stranger(
        name="ara",
        kind="API; settings from dynaconf below the home, own LOGGING",
        install=("ara[server]",),
        **_TRIED,
        files={
            "tried.py": _WRAPPED.format("ara.server.settings"),
            "tried_urls.py": "from ara.server.urls import *\n",
            "fill.py": _ARA_FILL,
        },
        fill=("python fill.py", "python -m django dumpdata api --output=ara.json"),
        measured="--path=/api/v1/playbooks --fixture=ara.json",
        tuned="--path=/api/v1/playbooks?limit=20 --fixture=ara.json --database=postgresql "
        "--current=gunicorn-sync:4 --objective='p95 < 300ms, failures < 0.1%'",
    ),
    Stranger(
        name="evennia",
        kind="a game's website; Twisted, own launcher",
        install=("evennia",),
        python=(3, 12),
        make=("evennia --init mygame",),
        manage="python -m django",
        settings="server.conf.settings",
        settings_file="mygame/server/conf/settings.py",
        urls_file="mygame/web/urls.py",
        env={"PYTHONPATH": "{folder}/mygame", "EVENNIA_SUPERUSER_PASSWORD": "not-secret"},
        measured="--path=/auth/login",
    ),
    Stranger(
        name="label-studio",
        kind="forms and API; own LOGGING, data below the home",
        install=("label-studio",),
        **_TRIED,
        files={
            "tried.py": "import os, sys, label_studio\n"
            "sys.path.insert(0, os.path.dirname(label_studio.__file__))\n"
            + _WRAPPED.format("core.settings.label_studio"),
            "tried_urls.py": "from core.urls import *\n",
        },
        env={"SENTRY_DSN": "", "FRONTEND_SENTRY_DSN": "", "LABEL_STUDIO_BASE_DATA_DIR": "{folder}"},
        measured="--path=/user/login/",
    ),
    Stranger(
        name="chat",
        kind="WebSockets; Channels' tutorial",
        install=("channels[daphne]",),
        make=("django-admin startproject mysite .", "python manage.py startapp chat"),
        **_package("mysite"),
        files={
            "mysite/settings.py": 'INSTALLED_APPS = ["daphne", *INSTALLED_APPS, "chat"]\n'
            'ASGI_APPLICATION = "mysite.asgi.application"\n'
            'CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}\n',
            "chat/consumers.py": _CHAT,
            "mysite/asgi.py": _CHAT_ASGI,
        },
        servers="uvicorn,daphne",
        measured="--workload=ws_connect --path=/ws/chat/lobby/",
    ),
    Stranger(
        name="bakerydemo",
        kind="content; production settings, TLS alone, kept connections, media",
        fetched="wagtail/bakerydemo",
        install=("--requirement=requirements/production.txt",),
        python=(3, 12),
        settings="bakerydemo.settings.production",
        settings_file="bakerydemo/settings/base.py",
        urls_file="bakerydemo/urls.py",
        fill=(
            "python manage.py load_initial_data",
            "python manage.py collectstatic --noinput",
            _ASK.format("/"),
            "python manage.py dumpdata wagtailimages.rendition --output=renditions.json",
        ),
        env={"DATABASE_URL": "sqlite:///{folder}/bakerydemodb", "DJANGO_SECRET_KEY": "not-secret"},
        measured=f"--path=/ --fixture={_BAKERY}",
        tuned=f"--path=/ --fixture={_BAKERY} --database=postgresql --current=uwsgi:2x4 "
        "--objective='p95 < 300ms, failures < 0.1%'",
    ),
    Stranger(
        name="sandbox",
        kind="shop; flat settings without WSGI_APPLICATION, ATOMIC_REQUESTS, a search index, media",
        fetched="django-oscar/django-oscar",
        install=(
            "django-oscar[sorl-thumbnail,easy-thumbnails]",
            *("django-environ", "pycountry", "whitenoise", "whoosh"),
        ),
        settings="settings",
        settings_file="sandbox/settings.py",
        urls_file="sandbox/urls.py",
        manage="python sandbox/manage.py",
        files={"sandbox/settings.py": _KEPT},
        fill=(
            *(f"python sandbox/manage.py {one}" for one in _SANDBOX),
            f'python -c "{_MISSING_IMAGE}"',
            _ASK.format(_BOOK),
            _SHOP,
        ),
        env={"PYTHONPATH": "{folder}/sandbox"},
        measured=f"--path={_BOOK} --fixture=shop.json",
        tuned=f"--path={_BOOK} --fixture=shop.json --database=postgresql "
        "--current=uwsgi:2x10 --objective='p95 < 500ms, failures < 0.1%'",
    ),
    Stranger(
        name="healthchecks",
        kind="forms and pings; own LOGGING, own tags, compressed pages",
        fetched="healthchecks/healthchecks",
        install=("--requirement=requirements.txt",),
        python=(3, 12),
        **_package("hc"),
        fill=("python manage.py compress --force",),
        env={"DB_NAME": "{folder}/hc.sqlite"},
        measured="--path=/accounts/login/",
    ),
    Stranger(
        name="babybuddy",
        kind="forms; split settings, axes, REST, i18n",
        fetched="babybuddy/babybuddy",
        install=("--requirement=requirements.txt",),
        settings="babybuddy.settings.development",
        settings_file="babybuddy/settings/base.py",
        urls_file="babybuddy/urls.py",
        fill=("python manage.py fake --children 1 --days 7",),
        measured="--path=/login/",
    ),
)
