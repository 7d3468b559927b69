"""The project's own settings, unchanged."""

import importlib
import os
from typing import Any

ENVIRONMENT = ("CELERY_BROKER_URL", "CELERY_BROKER_READ_URL", "CELERY_BROKER_WRITE_URL")
"""Settings for which Celery prefers the environment."""


def project_settings(module: str) -> dict[str, Any]:
    """Name → value of all that the module sets, or the environment instead."""
    found = importlib.import_module(module)
    said = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    return {**named(found), **said}


def named(module: object) -> dict[str, Any]:
    """Name → value of the settings in a module."""
    return {name: getattr(module, name) for name in dir(module) if name.isupper()}
