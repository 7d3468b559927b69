# ruff: noqa: F401 - what others import from here
"""What to do, as frozen values that check themselves; times are in seconds."""

from benchsuite.core.specs.database import KEEP, THROWAWAY, DatabaseSpec
from benchsuite.core.specs.load import CLOSED, OPEN, LoadProfile
from benchsuite.core.specs.run import FLAME, QUERIES, RunSpec, WorkloadSpec
from benchsuite.core.specs.server import REDIS, DelaySpec, LayerSpec, ServerSpec, TargetSpec
from benchsuite.core.specs.spec import Limits, Option, Within, chosen_options
from benchsuite.core.specs.visitor import VisitorSpec
