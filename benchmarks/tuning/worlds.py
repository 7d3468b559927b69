"""The pages and machines that the search is tried on: some as it assumes them, some that aren't."""

from dataclasses import dataclass, replace

from benchmarks.tuning.world import World

THREE = {"gthread": 1.0, "granian": 0.97, "uwsgi": 1.04, "sync": 0.96}
TWELVE = {f"server{number}": 1.0 + 0.03 * number for number in range(11)} | {"sync": 1.02}


@dataclass(frozen=True, slots=True)
class Case:
    world: World
    objective: str = "p95 < 200ms"
    says: str = ""  #: Which law it breaks, or why it is here.
    current: tuple[str, int, int] | None = None  #: What runs now.
    within: float = 0.05  #: Nobody would act on a pick that is less worse than that.


USUAL = (
    Case(World(name="CPU", servers=THREE), says="1 CPU, starts differ by 3 %"),
    Case(
        World(name="CPU, noisy", servers=THREE, start_noise=0.05, drift=0.05),
        says="5 %, and a drift of 5 % an hour",
    ),
    Case(
        World(name="waits", cpus=2, wait_s=0.020, servers=THREE),
        says="2 CPUs, 10 ms CPU and 20 ms wait",
    ),
    Case(
        World(
            name="waits, noisy", cpus=2, wait_s=0.020, servers=THREE, start_noise=0.05, drift=0.05
        ),
        says="the same, 5 % and drift",
    ),
    Case(
        World(name="long waits", cpus=2, wait_s=0.150, servers=THREE),
        objective="p95 < 500ms",
        says="10 ms CPU, 150 ms wait: slots decide",
    ),
    Case(
        World(name="slow page", cpu_s=0.080, cpu_spread=0.5, servers=THREE),
        objective="p95 < 1s",
        says="80 ms CPU: 12/s",
    ),
    Case(
        World(name="large", cpus=16, cpu_s=0.080, wait_s=0.040, servers=TWELVE),
        objective="p95 < 500ms",
        says="12 servers, 16 CPUs",
    ),
    Case(
        World(name="memory", cpus=2, wait_s=0.020, servers=THREE),
        objective="p95 < 200ms, memory <= 200MiB",
        says="most sizes need too much memory",
    ),
    Case(
        World(
            name="runs now",
            cpus=2,
            wait_s=0.020,
            servers=THREE,
            sweet=(3, 9),
            step_cost=0.03,
        ),
        current=("granian", 3, 9),
        says="what runs now is the best",
    ),
    Case(
        World(name="between", cpus=4, cpu_s=0.016, wait_s=0.030, servers=THREE, sweet=(5, 3)),
        says="5×3 is best, each step from it costs 5 %",
    ),
)
"""As the laws of BOUND have it."""

UNLAWFUL = (
    Case(
        World(name="threads hurt", cpus=2, wait_s=0.020, servers=THREE, thread_cost=0.03),
        says="each thread raises CPU time by 3 %",
    ),
    Case(
        World(
            name="tails",
            cpus=2,
            wait_s=0.010,
            servers={"gthread": 1.0, "granian": 1.12, "uwsgi": 1.15},
            tails={"gthread": (0.04, 0.4)},
        ),
        says="the best under a full load has a tail",
    ),
    Case(
        World(name="heavy tails", cpus=2, cpu_spread=2.5, wait_s=0.010, servers=THREE),
        objective="p95 < 300ms",
        within=0.10,
        says="a few requests take twenty times the CPU time",
    ),
    Case(World(name="stall", stall_s=0.040, servers=THREE), says="one user waits 40 ms longer"),
    Case(
        World(name="no recovery", servers=THREE, collapses=4.0),
        says="overloaded once, CPU time doubles for good",
    ),
    Case(
        World(name="slows midway", cpus=2, wait_s=0.020, servers=THREE, slows_after_s=300.0),
        says="a third slower after 5 minutes",
    ),
    Case(
        World(name="lucky starts", servers=THREE, lucky=0.08),
        says="every twelfth start is a third faster",
    ),
    Case(
        World(name="flaky", cpus=2, wait_s=0.020, servers=THREE, flaky={"granian": 0.5}),
        says="the best fails at every second start",
    ),
    Case(
        World(name="pauses", servers=THREE, pause_every_s=8.0, start_noise=0.05),
        says="200 ms without any CPU every 8 s",
    ),
    Case(
        World(name="busy minutes", servers=THREE, busy_every_s=180.0),
        says="every 3 minutes others use it for 40 s",
    ),
)
"""Each breaks a law that the search rests on."""

NOISY = (
    Case(World(name="10 %", servers=THREE, start_noise=0.10), says="starts differ by 10 %"),
    Case(World(name="20 %", servers=THREE, start_noise=0.20), says="starts differ by 20 %"),
    Case(
        World(
            name="PostgreSQL",
            cpus=2,
            wait_s=0.020,
            servers=THREE,
            start_noise=0.12,
            drift=0.1,
            pause_every_s=15.0,
        ),
        says="12 %, a drift of 10 % an hour, and checkpoints",
    ),
)
"""Machines on which starts of one size differ, as those do that share their CPUs."""

BIMODAL = Case(
    World(name="bimodal", cpus=2, wait_s=0.020, servers=THREE, rare=0.05),
    says="5 % take 400 ms longer, whatever the rate",
)

EQUAL = Case(
    World(name="equals", servers={"gthread": 1.0, "granian": 1.0, "uwsgi": 1.2}, wait_s=0.020),
    says="two servers are equally good",
)
CONNECTS = World(
    name="connects",
    servers={"gthread": 1.0},
    limits=("L04d connecting",),
    variants={"database.pool": 0.8},
)
"""A fifth of each request goes into its connection, which a pool keeps."""
IN_VAIN = replace(CONNECTS, name="in vain", variants={"database.pool": 1.0})
"""A pool changes nothing there."""

CASES = (*USUAL, *UNLAWFUL, *NOISY)
