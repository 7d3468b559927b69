"""The same project as somebody left it after a debugging session.

`querycount` is a stand-in of the tests for the package of that name.
"""

from tests.sabotage.sick.settings import *  # noqa: F403

DEBUG = True
MIDDLEWARE = ["querycount.middleware.QueryCountMiddleware"]
LOGGING = {
    "version": 1,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "loggers": {"django.db.backends": {"handlers": ["stderr"], "level": "DEBUG"}},
}
