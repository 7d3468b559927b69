"""Django 1.10 with nothing in it: no middleware, no database, and a channel layer if one is named.

HERITAGE_LAYER is the URL of a Redis, or "ipc" for shared memory under the names HERITAGE_PREFIX-*.
"""

from __future__ import unicode_literals

import os

SECRET_KEY = "a target that is measured on this machine alone"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
INSTALLED_APPS = []
MIDDLEWARE_CLASSES = []
TIME_ZONE = "UTC"
ROOT_URLCONF = "heritage.views"

LAYER = "%s" % os.environ.get("HERITAGE_LAYER", "")
PREFIX = "%s" % os.environ.get("HERITAGE_PREFIX", "heritage")

if LAYER:
    INSTALLED_APPS = ["channels"]
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "asgi_ipc.IPCChannelLayer",
            "CONFIG": {"prefix": PREFIX},
            "ROUTING": "heritage.views.routes",
        }
    }
    if LAYER != "ipc":
        CHANNEL_LAYERS["default"]["BACKEND"] = "asgi_redis.RedisChannelLayer"
        CHANNEL_LAYERS["default"]["CONFIG"] = {"hosts": [LAYER], "prefix": PREFIX + ":"}
