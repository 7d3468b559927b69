"""The repository's own project with these pages; SQLite as Django has it by default."""

from testproject.settings.target import *  # noqa: F403
from testproject.settings.target import DATABASES

ROOT_URLCONF = "benchmarks.limited.views"
if "sqlite3" in DATABASES["default"]["ENGINE"]:
    DATABASES["default"]["OPTIONS"] = {"timeout": 5, "init_command": "PRAGMA journal_mode=WAL"}
