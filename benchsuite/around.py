"""Finds, before the first run, what can't stand around a server as it was asked for."""

from benchsuite import conf
from benchsuite.delay import netem
from benchsuite.delay.choice import choose
from benchsuite.exceptions import UnavailableError
from benchsuite.servers.base import Available
from benchsuite.services import postgres, redis
from benchsuite.specs import NETEM, POSTGRESQL, REDIS, REDIS_PUBSUB, RunSpec


def check(run: RunSpec) -> None:
    """Raises UsageError for what contradicts itself and UnavailableError for what is missing."""
    _check_front(run)
    if run.database.use == POSTGRESQL:
        _demand("PostgreSQL", postgres.available())
    if REDIS in wanted_services(run):
        _demand("Redis", redis.available())
    if run.delay.by == NETEM and run.delay:
        choose(NETEM, netem=netem.available(), cut_off=(), may_reach_more=True)


def wanted_services(run: RunSpec) -> frozenset[str]:
    """Names of the services that a run starts besides its database."""
    wanted = set(conf.server_class(run.server.server).services)
    if run.layer.backend in (REDIS, REDIS_PUBSUB):
        wanted.add(REDIS)
    return frozenset(wanted)


def _check_front(run: RunSpec) -> None:
    if not run.server.front:
        return
    front = conf.front_class(run.server.front)
    front(run.server.front_options)
    _demand(run.server.front, front.available())


def _demand(name: str, found: Available) -> None:
    if not found.ok:
        raise UnavailableError(
            f"{name} can't run here: {found.reason}; {found.command} would help."
        )
