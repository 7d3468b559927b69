"""What to do, as frozen values that validate themselves and convert to and from JSON.

All times are in seconds. A spec never contains anything found out while running; that is in
`benchsuite.core.results`.
"""

from benchsuite.core.specs.database import KEEP as KEEP
from benchsuite.core.specs.database import MINE as MINE
from benchsuite.core.specs.database import THROWAWAY as THROWAWAY
from benchsuite.core.specs.database import DatabaseSpec as DatabaseSpec
from benchsuite.core.specs.layer import LAYERS as LAYERS
from benchsuite.core.specs.layer import MEMORY as MEMORY
from benchsuite.core.specs.layer import REDIS as REDIS
from benchsuite.core.specs.layer import REDIS_PUBSUB as REDIS_PUBSUB
from benchsuite.core.specs.layer import TCP as TCP
from benchsuite.core.specs.layer import UNIX as UNIX
from benchsuite.core.specs.layer import LayerSpec as LayerSpec
from benchsuite.core.specs.load import ARRIVALS as ARRIVALS
from benchsuite.core.specs.load import CLOSED as CLOSED
from benchsuite.core.specs.load import CONSTANT as CONSTANT
from benchsuite.core.specs.load import IN_FLIGHT as IN_FLIGHT
from benchsuite.core.specs.load import MAX_DURATION_S as MAX_DURATION_S
from benchsuite.core.specs.load import MAX_LOAD_PROCESSES as MAX_LOAD_PROCESSES
from benchsuite.core.specs.load import MAX_RATE as MAX_RATE
from benchsuite.core.specs.load import MAX_STAGES as MAX_STAGES
from benchsuite.core.specs.load import MAX_USERS as MAX_USERS
from benchsuite.core.specs.load import OPEN as OPEN
from benchsuite.core.specs.load import POISSON as POISSON
from benchsuite.core.specs.load import USER as USER
from benchsuite.core.specs.load import LoadProfile as LoadProfile
from benchsuite.core.specs.load import Stage as Stage
from benchsuite.core.specs.options import BOOLEANS as BOOLEANS
from benchsuite.core.specs.options import Limits as Limits
from benchsuite.core.specs.options import Option as Option
from benchsuite.core.specs.options import Within as Within
from benchsuite.core.specs.options import chosen_options as chosen_options
from benchsuite.core.specs.options import refuse_outside as refuse_outside
from benchsuite.core.specs.run import COLLECT as COLLECT
from benchsuite.core.specs.run import FLAME as FLAME
from benchsuite.core.specs.run import FORMAT_VERSION as FORMAT_VERSION
from benchsuite.core.specs.run import QUERIES as QUERIES
from benchsuite.core.specs.run import SKIP as SKIP
from benchsuite.core.specs.run import RunSpec as RunSpec
from benchsuite.core.specs.run import WorkloadSpec as WorkloadSpec
from benchsuite.core.specs.server import MAX_INSTANCES as MAX_INSTANCES
from benchsuite.core.specs.server import MAX_PROCESSES as MAX_PROCESSES
from benchsuite.core.specs.server import MAX_THREADS as MAX_THREADS
from benchsuite.core.specs.server import DelaySpec as DelaySpec
from benchsuite.core.specs.server import ServerSpec as ServerSpec
from benchsuite.core.specs.server import TargetSpec as TargetSpec
from benchsuite.core.specs.visitor import VisitorSpec as VisitorSpec
from benchsuite.core.specs.visitor import over as over
