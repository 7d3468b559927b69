"""The target's settings without what gives answers a Content-Length: uWSGI's router then stalls."""

from testproject.settings.target import *  # noqa: F403
from testproject.settings.target import MIDDLEWARE as ALL

MIDDLEWARE = [path for path in ALL if not path.endswith(".CommonMiddleware")]
