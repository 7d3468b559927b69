"""What differs in the target from the project as it is."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from benchsuite.core.exceptions import UsageError
from benchsuite.core.passwords import masked
from benchsuite.core.specs import place
from benchsuite.core.specs.spec import Spec, option

SETTING = re.compile(r"[A-Z][A-Z0-9_]*(\.[^.\s]+)*")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OURS = re.compile(r"BENCHSUITE_.*|DJANGO_SETTINGS_MODULE|PYTHON(PATH|HASHSEED)")
"""Variables by which a run tells the server what it must know."""


def check_variable(said: str, name: str, value: str) -> None:
    """Raises UsageError for one that the measured server can't be started with."""
    if not VARIABLE.fullmatch(name) or "\0" in value:
        raise UsageError(f"{said} can't be a variable; write NAME=VALUE.")
    if OURS.fullmatch(name):
        raise UsageError(f"{said} is set by the run itself; leave it out.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSpec(Spec):
    """Settings and environment variables of the measured server."""

    group = "Settings and variables"

    settings: Mapping[str, Any] = option(
        {},
        "--setting NAME=VALUE",
        "a setting of the target, such as CONN_HEALTH_CHECKS=true or CACHES.default.TIMEOUT=5 "
        "(JSON, else text)",
    )
    """Name, dotted where it is nested, → what JSON can hold; "{folder}" is the run's."""
    variables: Mapping[str, str] = option(
        {},
        "--variable NAME=VALUE",
        "an environment variable of the target, such as MALLOC_ARENA_MAX=2",
    )
    hidden: tuple[str, ...] = ()
    """Names of both whose values are neither stored nor shown: only whether they are equal is."""

    def check(self) -> None:
        for name, value in self.settings.items():
            if not SETTING.fullmatch(name):
                raise UsageError(
                    f"--setting {name} names no setting; write NAME=VALUE, or NAME.key=VALUE for "
                    "what is nested."
                )
            if place.names_one(name, value):
                raise UsageError(
                    f"--setting {name} would name a database, and a run makes its own: say where "
                    "by --database, or set another key, such as DATABASES.default.CONN_MAX_AGE."
                )
        for name, text in self.variables.items():
            check_variable(f"--variable {name}", name, text)

    def to_json(self) -> dict[str, Any]:
        """As stored and shown."""
        return asdict(self._masked())

    @property
    def words(self) -> str:
        """In words: "CONN_HEALTH_CHECKS=true, variable MALLOC_ARENA_MAX=2"; empty for nothing."""
        shown = self._masked()
        settings = [f"{name}={json.dumps(one)}" for name, one in sorted(shown.settings.items())]
        variables = [f"variable {name}={one}" for name, one in sorted(shown.variables.items())]
        return ", ".join(settings + variables)

    def _masked(self) -> Self:
        def shown(values: Mapping[str, Any]) -> dict[str, Any]:
            return {
                name: masked(value if isinstance(value, str) else json.dumps(value))
                if name in self.hidden
                else value
                for name, value in values.items()
            }

        return replace(self, settings=shown(self.settings), variables=shown(self.variables))
