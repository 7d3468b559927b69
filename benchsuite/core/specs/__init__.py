"""What to do, as frozen values that check themselves; times are in seconds."""

from benchsuite.core.specs.database import KEEP as KEEP
from benchsuite.core.specs.database import THROWAWAY as THROWAWAY
from benchsuite.core.specs.database import DatabaseSpec as DatabaseSpec
from benchsuite.core.specs.layer import REDIS as REDIS
from benchsuite.core.specs.layer import LayerSpec as LayerSpec
from benchsuite.core.specs.load import CLOSED as CLOSED
from benchsuite.core.specs.load import OPEN as OPEN
from benchsuite.core.specs.load import LoadProfile as LoadProfile
from benchsuite.core.specs.run import FLAME as FLAME
from benchsuite.core.specs.run import QUERIES as QUERIES
from benchsuite.core.specs.run import RunSpec as RunSpec
from benchsuite.core.specs.run import WorkloadSpec as WorkloadSpec
from benchsuite.core.specs.server import DelaySpec as DelaySpec
from benchsuite.core.specs.server import ServerSpec as ServerSpec
from benchsuite.core.specs.server import TargetSpec as TargetSpec
from benchsuite.core.specs.spec import Limits as Limits
from benchsuite.core.specs.spec import Option as Option
from benchsuite.core.specs.spec import Within as Within
from benchsuite.core.specs.spec import chosen_options as chosen_options
from benchsuite.core.specs.visitor import VisitorSpec as VisitorSpec
