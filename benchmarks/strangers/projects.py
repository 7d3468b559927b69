"""The projects that are tried; `projects.toml` has them as data."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

QUICKSTART = 'INSTALLED_APPS = [*INSTALLED_APPS, "benchsuite"]\n'
PAGES = """
from django.urls import include as include_benchsuite, path as path_benchsuite
urlpatterns = [path_benchsuite("results/", include_benchsuite("benchsuite.urls")), *urlpatterns]
"""
"""The two lines of the quickstart, put at the end of a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stranger:
    """Commands run in the project's folder, with its environment's programs first on the PATH."""

    name: str
    kind: str  #: What it serves, and what its settings are like, in a few words for the table.
    install: tuple[str, ...]  #: Requirements; the first one's version is shown.
    settings: str  #: DJANGO_SETTINGS_MODULE.
    settings_file: str
    urls_file: str
    """Where the two lines go, below the project's folder; written anew where there is none."""
    make: tuple[str, ...] = ()  #: Commands that write the project.
    files: Mapping[str, str] = field(default_factory=dict)
    """What its documentation says to put into files: path to what is added at their end."""
    fill: tuple[str, ...] = ()  #: Commands after `migrate`, for data of theirs.
    manage: str = "python manage.py"
    measured: str = "--path=/"  #: What is said to runbench beside servers and load.
    servers: str = "gunicorn-gthread,uvicorn"
    tuned: str = ""  #: What is said to tunebench; empty for those that are not tuned.
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables that the project asks for; {folder} is the project's."""
    python: tuple[int, int] = (3, 11)  #: The oldest Python that can install it.
    fetched: str = ""
    """The repository of a project that is on no index: fetched by hand into --fetched."""


ROWS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())["strangers"]
STRANGERS = tuple(
    Stranger(**{key: tuple(one) if isinstance(one, list) else one for key, one in row.items()})
    for row in ROWS
)
