"""What the project is measured with."""

from testproject.settings.base import *  # noqa: F403

DEBUG = False
INSTALLED_APPS: list[str] = []
MIDDLEWARE: list[str] = []
ROOT_URLCONF = "tests.sabotage.sick.urls"
CHANNEL_LAYERS = {
    "default": {"BACKEND": "channels.layers.InMemoryChannelLayer", "CONFIG": {"capacity": 10}}
}
ASGI_APPLICATION = "tests.sabotage.sick.asgi.application"
