"""The sick project with a database of its own."""

from tests.sabotage.sick.settings import *  # noqa: F403

INSTALLED_APPS = ["django.contrib.contenttypes", "tests.sabotage.sick.storing"]
ROOT_URLCONF = "tests.sabotage.sick.storing.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
