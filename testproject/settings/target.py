"""What measured servers load: the target app alone, nothing of the console."""

from testproject.settings.base import *  # noqa: F403

DEBUG = False
INSTALLED_APPS = ["benchsuite.target"]
# The one that tells an answer's length, as nearly every project does. Without it uWSGI's router
# sends answers in chunks, and each stalls for 40 ms.
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
ROOT_URLCONF = "testproject.urls_target"
WSGI_APPLICATION = "testproject.wsgi.application"
ASGI_APPLICATION = "testproject.asgi.application"
