"""Which run is disturbed how and when: drawn by chance, the same again from seed and number."""

import random
from dataclasses import dataclass

POSTGRES, USERS_POSTGRES, REDIS = "--database=postgresql", "user's PostgreSQL", "--layer=redis"

WSGI = (
    *("gunicorn-sync", "gunicorn-gthread", "uwsgi", "uwsgi-http-socket", "granian-wsgi"),
    *("waitress", "cheroot", "tornado", "runserver", "apache-event", "apache-daemon"),
    *("circus-waitress", "circus-gunicorn-gthread"),
)
ASGI = ("uvicorn", "daphne", "hypercorn", "granian-asgi", "gunicorn-uvicorn", "circus-uvicorn")
SEVERAL = ("gunicorn-sync", "gunicorn-gthread", "uwsgi", "granian-wsgi", "uvicorn", "hypercorn")
"""Those of which a case may have two processes."""
FRONTED = ("gunicorn-gthread", "waitress", "uwsgi-http-socket", "uvicorn", "daphne", "granian-asgi")
HTTP = ("plain", "cpu", "io_create", "io_read --rows=200")
SOCKETS = ("ws_echo", "ws_broadcast")

PARENT = "the command"
ROLES = {
    "load": "benchsuite.load.process.worker",
    "keeper": "benchsuite.isolation.databases.process",
    "prober": "benchsuite.telemetry.prober.program",
    "reaper": "benchsuite.system.reaper",
    "delay": "benchsuite.delay.proxy",
    "front": "nginx|haproxy",
    "database": "postgres",
    "redis": "redis-server|valkey-server",
    "server": "",
}
"""Whom a case kills: what its command line says, or nothing for who is none of the others."""
ALWAYS = frozenset({"server", "load", "keeper", "prober", "reaper"})
"""Who is there in every run; the others are chosen more often where they are."""

KINDS = (
    *("Ctrl-C", "Ctrl-C twice", "SIGTERM", "SIGHUP", "SIGKILL", "terminal closed"),
    *("pipe closed", "stopped for a second", "a process killed"),
)
WEIGHTS = (2, 2, 2, 2, 4, 2, 2, 2, 9)
"""The last one stands for as many kinds as there are roles."""

STAGES = {"": 2.0, "starting": 3.0, "ready in": 3.0}
"""What the command says, to the seconds after it in which something befalls it; it says nothing
at first, and ends about two seconds after the last."""
LOAD = "--users=4 --warmup=200ms --duration=1500ms"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One run and what befalls it."""

    number: int
    words: tuple[str, ...]  #: Of runbench.
    users_postgres: bool  #: Whether results and data are on the PostgreSQL of the user.
    kind: str
    role: str  #: Whom it befalls.
    stage: str  #: What the command must have said.
    moment_s: float  #: After that; later where nobody of that role was there yet.
    gap_s: float  #: Between the first and the second of what comes twice.

    @property
    def disturbance(self) -> str:
        """In words, for the table."""
        return f"SIGKILL of {self.role}" if self.kind == KINDS[-1] else self.kind


def draw(seed: int, number: int) -> Case:
    """The case of that number."""
    chance = random.Random(f"{seed}:{number}")
    sockets = chance.random() < 0.25
    front = chance.choice(("nginx", "haproxy")) if chance.random() < 0.35 else ""
    servers = ASGI if sockets else (*WSGI, *ASGI)
    server = chance.choice([one for one in servers if not front or one in FRONTED])
    service = chance.choice(("", "", POSTGRES, USERS_POSTGRES))
    layer = chance.choice((REDIS, "--layer=memory")) if sockets else ""
    words = [f"--server={server}", *LOAD.split()]
    words += f"--workload={chance.choice(SOCKETS if sockets else HTTP)}".split()
    if front:
        words += [f"--front={front}", "--instances=2"]
    elif server in SEVERAL and layer != "--layer=memory" and chance.random() < 0.5:
        words += ["--processes=2"]
    if front and layer == "--layer=memory":
        layer = REDIS
    delays = ["", "--delay-to-clients=5ms"]
    delays += ["--delay-to-database=2ms"] if service == POSTGRES else []
    words += [word for word in (layer, chance.choice(delays)) if word]
    if service == POSTGRES:
        words.append(service)
    there = set(ALWAYS)
    there |= {"front"} if front else set()
    there |= {"database"} if service == POSTGRES else set()
    there |= {"redis"} if layer == REDIS else set()
    there |= {"delay"} if any(word.startswith("--delay") for word in words) else set()
    kind = chance.choices(KINDS, WEIGHTS)[0]
    weights = [1 if role in ALWAYS else 3 for role in sorted(there)]
    befallen = chance.choices(sorted(there), weights)[0]
    if kind == "stopped for a second":
        role = chance.choice((PARENT, befallen))
    else:
        role = befallen if kind == KINDS[-1] else PARENT
    stage = chance.choice(list(STAGES))
    return Case(
        number=number,
        words=tuple(words),
        users_postgres=service == USERS_POSTGRES,
        kind=kind,
        role=role,
        stage=stage,
        moment_s=round(chance.uniform(0, STAGES[stage]), 2),
        gap_s=round(chance.uniform(0, 1), 2),
    )
