"""What manage.py loads: the commands, the pages of results and the admin."""

import json
import os

from testproject.settings.base import *  # noqa: F403
from testproject.settings.base import BASE_DIR

DEBUG = os.environ.get("DEBUG", "1") == "1"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "benchsuite",
    "benchsuite.target",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

ROOT_URLCONF = "testproject.urls_console"
WSGI_APPLICATION = "testproject.wsgi.application"
ASGI_APPLICATION = "testproject.asgi_console.application"

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
LOGIN_URL = "admin:login"

BENCHSUITE = {
    "TARGET_SETTINGS": "testproject.settings.target",
    "ACCESS": os.environ.get("BENCHSUITE_ACCESS", "benchsuite.views.access.staff"),
    "CONSOLE_URL": os.environ.get("BENCHSUITE_CONSOLE_URL", "http://127.0.0.1:8000/results/"),
    "TARGETS": json.loads(os.environ.get("BENCHSUITE_TARGETS", "{}")),
    "STUDIES": [one for one in os.environ.get("BENCHSUITE_STUDIES", "").split(os.pathsep) if one],
}
