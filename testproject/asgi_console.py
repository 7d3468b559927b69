"""The console by ASGI, with its static files and live figures over WebSockets."""

import os

from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "testproject.settings.console")

django_application = get_asgi_application()

from benchsuite.asgi import live  # noqa: E402 - Django must be set up first

application = live(ASGIStaticFilesHandler(django_application))
