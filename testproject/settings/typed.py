"""Those of the console with what only a measured server has: what mypy takes for the settings."""

from typing import Any

from benchsuite.isolation.instructions import Instructions
from testproject.settings.console import *  # noqa: F403

BENCHSUITE_ORIGINAL: dict[str, Any] = {}
BENCHSUITE_INSTRUCTIONS: Instructions
BENCHSUITE_ENVIRONMENT: dict[str, str] = {}
