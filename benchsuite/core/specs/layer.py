"""The channel layer of the target."""

from dataclasses import dataclass

from benchsuite.core.exceptions import UsageError
from benchsuite.core.printable import hidden
from benchsuite.core.specs.server import MAX_PROCESSES
from benchsuite.core.specs.spec import Spec, option

MEMORY = "memory"
REDIS = "redis"
REDIS_PUBSUB = "redis-pubsub"
PATHS = {
    MEMORY: "channels.layers.InMemoryChannelLayer",
    REDIS: "channels_redis.core.RedisChannelLayer",
    REDIS_PUBSUB: "channels_redis.pubsub.RedisPubSubChannelLayer",
}
IF_REDIS = ("uses_redis", "--layer=redis or --layer=redis-pubsub")
TCP = "tcp"
UNIX = "unix"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSpec(Spec):
    """The target's channel layer, and the number of runworkers beside the server."""

    group = "Channel layer"
    backend: str = option(
        "",
        "--layer memory|redis|redis-pubsub  channel layer of the target; Redis is started by the "
        "run",
        unless="the project's",
    )
    by: str = option(
        TCP, "--layer-by tcp|unix  how the layer reaches the run's Redis", needs=IF_REDIS
    )
    url: str = option(
        "",
        "--layer-url URL  a Redis of your own for the layer, such as redis://localhost:6379/0",
        needs=IF_REDIS,
        again=True,
        secret=True,
    )
    workers: int = option(
        0,
        "--layer-workers N  programs runworker that answer what comes through the layer",
        within=(0, MAX_PROCESSES),
    )

    def check(self) -> None:
        if self.workers and self.backend == MEMORY:
            raise UsageError(
                "An in-memory layer stays within one process, so --layer-workers can't be reached; "
                "take --layer=redis."
            )
        if self.url and self.by != TCP:
            raise UsageError("--layer-url already says what --layer-by does; remove one of them.")

    @property
    def uses_redis(self) -> bool:
        return self.backend in (REDIS, REDIS_PUBSUB)

    @property
    def path(self) -> str:
        """Dotted path of the layer's class; empty for the project's own."""
        return PATHS.get(self.backend, "")

    def __bool__(self) -> bool:
        return bool(self.backend or self.workers)

    @property
    def words(self) -> str:
        """In words: "redis over unix, 2 workers"; empty for the project's own."""
        if not self:
            return ""
        words = self.backend or "the project's layer"
        if self.url:
            words += f" at {hidden(self.url)}"
        elif self.uses_redis:
            words += f" over {self.by}"
        if self.workers:
            words += f", {self.workers} worker{'s' * (self.workers != 1)}"
        return words
