"""The settings of the measured server: the project's own, then the changes of the instructions."""

import os
import sys
from functools import partial
from typing import Any

from django.core import mail

from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.applied import overridden
from benchsuite.isolation.overrides.backends import mailer
from benchsuite.isolation.overrides.changes import ENVIRONMENT, named, project_settings
from benchsuite.isolation.overrides.inherited import Replaced

BENCHSUITE_INSTRUCTIONS = Instructions.of_this_process()
CONNECTED = ("CACHES", "DATABASES")  #: Never read unchanged: Django keeps what it saw.
vars(mail)["import_string"] = partial(mailer, overrides=BENCHSUITE_INSTRUCTIONS.overrides)


def __dir__() -> list[str]:
    """The settings so far, for code that reads settings while the project's are imported."""
    return sorted({*globals(), *_so_far()})


def __getattr__(name: str) -> Any:
    try:
        return _so_far()[name]
    except KeyError:
        raise AttributeError(name) from None


def _so_far() -> dict[str, Any]:
    project = named(sys.modules.get(BENCHSUITE_INSTRUCTIONS.settings_module))
    return {name: value for name, value in project.items() if name not in CONNECTED}


_project = project_settings(BENCHSUITE_INSTRUCTIONS.settings_module)
_changes = overridden(_project, BENCHSUITE_INSTRUCTIONS)
BENCHSUITE_ENVIRONMENT = dict(os.environ)  #: With what settings read from files.
_replaced = Replaced(_changes, BENCHSUITE_INSTRUCTIONS)
for _names in (_replaced.parts, _replaced.addresses):
    os.environ.update(_names(os.environ))
os.environ.update(BENCHSUITE_INSTRUCTIONS.words)
_now = {name: _changes.now(name) for name in ENVIRONMENT if name in os.environ}
# What a variable can't hold is for the setting to say: to Celery an empty one is none.
os.environ.update({name: new if isinstance(new, str) else "" for name, new in _now.items()})
if not any(name.endswith("BROKER_URL") for name in BENCHSUITE_INSTRUCTIONS.overrides):
    os.environ.setdefault("CELERY_BROKER_URL", "memory://")  # the default is a server
globals().update({**_project, **_changes.values})
# A mapping of a type of its own may give away copies, and what was changed in them is lost.
DATABASES = {alias: {**entry} for alias, entry in globals().get("DATABASES", {}).items()}
del __dir__, __getattr__
