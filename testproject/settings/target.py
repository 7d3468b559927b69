"""What measured servers load: the target app alone, nothing of the console."""

from testproject.settings.base import *  # noqa: F403

DEBUG = False
INSTALLED_APPS = ["benchsuite.target"]
MIDDLEWARE: list[str] = []
ROOT_URLCONF = "testproject.urls_target"
WSGI_APPLICATION = "testproject.wsgi.application"
ASGI_APPLICATION = "testproject.asgi.application"
