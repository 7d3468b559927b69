"""What to do, as frozen values that validate themselves and convert to and from JSON.

All times are in seconds. A spec never contains anything found out while running; that is in
`benchsuite.core.results`.
"""

from benchsuite.core.specs.database import (
    KEEP,
    THROWAWAY,
    DatabaseSpec,
)
from benchsuite.core.specs.delay import (
    AUTO,
    DELAYERS,
    NETEM,
    PROXY,
    DelaySpec,
)
from benchsuite.core.specs.layer import (
    LAYERS,
    MEMORY,
    REDIS,
    REDIS_PUBSUB,
    TCP,
    UNIX,
    LayerSpec,
)
from benchsuite.core.specs.load import (
    ARRIVALS,
    CLOSED,
    CONSTANT,
    IN_FLIGHT,
    MAX_DURATION_S,
    MAX_LOAD_PROCESSES,
    MAX_RATE,
    MAX_STAGES,
    MAX_USERS,
    OPEN,
    POISSON,
    USER,
    LoadProfile,
    Stage,
)
from benchsuite.core.specs.options import (
    BOOLEANS,
    Option,
    chosen_options,
    refuse_below,
    refuse_unless_one_of,
    refuse_unless_within,
)
from benchsuite.core.specs.run import (
    COLLECT,
    FORMAT_VERSION,
    SKIP,
    RunSpec,
    WorkloadSpec,
)
from benchsuite.core.specs.server import (
    MAX_INSTANCES,
    MAX_PROCESSES,
    MAX_THREADS,
    ServerSpec,
)
from benchsuite.core.specs.target import TargetSpec
from benchsuite.core.specs.visitor import VisitorSpec, over

__all__ = [
    "ARRIVALS",
    "AUTO",
    "BOOLEANS",
    "CLOSED",
    "COLLECT",
    "CONSTANT",
    "DELAYERS",
    "FORMAT_VERSION",
    "IN_FLIGHT",
    "KEEP",
    "LAYERS",
    "MAX_DURATION_S",
    "MAX_INSTANCES",
    "MAX_LOAD_PROCESSES",
    "MAX_PROCESSES",
    "MAX_RATE",
    "MAX_STAGES",
    "MAX_THREADS",
    "MAX_USERS",
    "MEMORY",
    "NETEM",
    "OPEN",
    "POISSON",
    "PROXY",
    "REDIS",
    "REDIS_PUBSUB",
    "SKIP",
    "TCP",
    "THROWAWAY",
    "UNIX",
    "USER",
    "DatabaseSpec",
    "DelaySpec",
    "LayerSpec",
    "LoadProfile",
    "Option",
    "RunSpec",
    "ServerSpec",
    "Stage",
    "TargetSpec",
    "VisitorSpec",
    "WorkloadSpec",
    "chosen_options",
    "over",
    "refuse_below",
    "refuse_unless_one_of",
    "refuse_unless_within",
]
