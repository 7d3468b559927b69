"""The project's ASGI callable."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "testproject.settings.target")

application = get_asgi_application()
