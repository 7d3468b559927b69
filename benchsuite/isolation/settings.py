"""The settings of the measured server: the project's own, then the changes of the plan."""

import importlib

from benchsuite.isolation.overrides import overridden
from benchsuite.isolation.plan import Plan

BENCHSUITE_PLAN = Plan.of_this_process()

_module = importlib.import_module(BENCHSUITE_PLAN.settings_module)
_project = {name: getattr(_module, name) for name in dir(_module) if name.isupper()}
_values, BENCHSUITE_CHANGES = overridden(_project, BENCHSUITE_PLAN)

globals().update({**_project, **_values})
