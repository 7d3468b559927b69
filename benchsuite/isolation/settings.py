"""The settings of the measured server: the project's own, then the changes of the plan."""

import os

from benchsuite.isolation.given import ENVIRONMENT, project_settings
from benchsuite.isolation.overrides import overridden
from benchsuite.isolation.plan import Plan

BENCHSUITE_PLAN = Plan.of_this_process()

_project = project_settings(BENCHSUITE_PLAN.settings_module)
_changes = overridden(_project, BENCHSUITE_PLAN)
BENCHSUITE_CHANGES = _changes.words

os.environ.update({name: _changes.now(name) for name in ENVIRONMENT if name in os.environ})
globals().update({**_project, **_changes.values})
