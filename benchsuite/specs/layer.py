"""Which channel layer the target has."""

from dataclasses import dataclass

from benchsuite.exceptions import UsageError
from benchsuite.specs.server import MAX_PROCESSES
from benchsuite.specs.spec import Spec, whole

MEMORY = "memory"
REDIS = "redis"
REDIS_PUBSUB = "redis-pubsub"
LAYERS = (MEMORY, REDIS, REDIS_PUBSUB)

PATHS = {
    MEMORY: "channels.layers.InMemoryChannelLayer",
    REDIS: "channels_redis.core.RedisChannelLayer",
    REDIS_PUBSUB: "channels_redis.pubsub.RedisPubSubChannelLayer",
}

TCP = "tcp"
UNIX = "unix"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSpec(Spec):
    """Which channel layer the target has, and how many runworkers stand beside the server."""

    backend: str = ""
    """"memory", "redis" or "redis-pubsub"; empty leaves the project's own."""
    by: str = TCP
    """How Redis is reached: "tcp" or "unix"."""
    workers: int = 0
    """Programs `runworker` that answer what is sent through the layer."""

    def __post_init__(self) -> None:
        if self.backend not in ("", *LAYERS):
            raise UsageError(
                f"--layer={self.backend} is not known; there are: {', '.join(LAYERS)}."
            )
        if self.by not in (TCP, UNIX):
            raise UsageError(f"--layer-by={self.by} is not known; there are: {TCP}, {UNIX}.")
        whole("workers", self.workers, 0, MAX_PROCESSES)
        if self.workers and self.backend == MEMORY:
            raise UsageError(
                "A layer in memory stays within one process, so --workers can't be reached; take "
                "--layer=redis."
            )

    @property
    def path(self) -> str:
        """Dotted path of the layer's class; empty for the project's own."""
        return PATHS.get(self.backend, "")

    def __bool__(self) -> bool:
        return bool(self.backend or self.workers)

    @property
    def words(self) -> str:
        """The layer: "redis over unix, 2 workers"; empty when the project's own is left alone."""
        if not self:
            return ""
        words = self.backend or "the project's layer"
        if self.backend in (REDIS, REDIS_PUBSUB):
            words += f" over {self.by}"
        if self.workers:
            words += f", {self.workers} worker{'s' * (self.workers != 1)}"
        return words
