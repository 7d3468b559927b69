"""The program's own settings: its pages and results, and which project a server serves."""

import os
import secrets
from pathlib import Path

from benchsuite.cli import places

SECRET_KEY = secrets.token_urlsafe()
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
TIME_ZONE = places.local_zone()
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": Path(os.environ[places.RESULTS_VARIABLE]),
        "OPTIONS": places.SQLITE,
    }
}
INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.staticfiles",
    "benchsuite",
]
MIDDLEWARE = [
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]
ROOT_URLCONF = "benchsuite.management.urls"
STATIC_URL = "static/"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "loggers": {"django.server": {"level": "ERROR", "propagate": False, "handlers": []}},
}
BENCHSUITE = {
    "PROJECT": os.environ.get(places.PROJECT_VARIABLE) or None,
    "TARGET_SETTINGS": os.environ.get(places.SETTINGS_VARIABLE) or None,
    "ACCESS": "benchsuite.views.access.token",
    "CONSOLE_URL": f"http://{places.ADDRESS}/",
    "TARGETS": places.targets(),
}
