"""What the console and the measured servers share: the database and a few constants."""

import os
from pathlib import Path
from typing import Any

from benchsuite.cli.places import SQLITE

BASE_DIR = Path(__file__).resolve().parent.parent.parent

SECRET_KEY = os.environ.get("SECRET_KEY", "not-secret-this-project-serves-loopback-only")
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
USE_TZ = True
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"


def _database() -> dict[str, Any]:
    """The database of DATABASE_URL, else a SQLite file beside manage.py."""
    if url := os.environ.get("DATABASE_URL"):
        import dj_database_url

        return dict(dj_database_url.parse(url))
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": BASE_DIR / "benchsuite.sqlite3",
        "OPTIONS": SQLITE,
    }


DATABASES = {"default": _database()}
