"""The channel layer of the target, and a Redis that Sentinels name."""

import re
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from benchsuite.core.exceptions import UsageError
from benchsuite.core.printable import hidden
from benchsuite.core.specs.server import MAX_PROCESSES
from benchsuite.core.specs.spec import Spec, option

SENTINEL_SCHEMES = ("redis+sentinel", "rediss+sentinel")
PORT = 26379
FORM = "redis+sentinel://[:PASSWORD@]HOST[:PORT][,HOST[:PORT]…]/MASTER[/DATABASE]"
OF_SENTINELS = "sentinel_"  #: Prefix of names in the query that are for the Sentinels.
_URL = re.compile(
    r"(?P<scheme>rediss?)\+sentinel://(?:(?P<username>[^:@/]*)(?::(?P<password>[^@/]*))?@)?"
    r"(?P<places>[^/?#@]+)/(?P<master>[^/?#]+)(?:/(?P<database>\d*))?(?:\?(?P<query>[^#]*))?"
)  # urlsplit takes no list of hosts with a bracket in it


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelUrl:
    """The Sentinels to ask, and the master's name."""

    sentinels: tuple[tuple[str, int], ...]
    master: str
    of_redis: dict[str, Any]  #: Arguments of connections to the master: db, username, …
    of_sentinels: dict[str, Any]  #: The same for the Sentinels.

    @classmethod
    def read(cls, url: str) -> Self:
        """Raises UsageError, without the URL's content, if a part is missing or wrong."""
        match = _URL.fullmatch(url)
        query = dict(parse_qsl(match["query"] or "")) if match else {}
        try:
            places = [urlsplit(f"//{one}") for one in match["places"].split(",")] if match else []
            sentinels = tuple((one.hostname or "", one.port or PORT) for one in places)
        except ValueError:  # no port
            sentinels = ()
        strange = [name for name in query if not name.startswith(OF_SENTINELS)]
        if match is None or strange or not sentinels or not all(host for host, _ in sentinels):
            raise UsageError(
                f"A layer by Sentinel needs a URL such as {FORM}, with sentinel_username and "
                "sentinel_password in its query if the Sentinels require them; the given one is "
                "different."
            )
        secure = {"ssl": True} if match["scheme"] == "rediss" else {}
        given = {name: unquote(match[name] or "") for name in ("username", "password")}
        return cls(
            sentinels=sentinels,
            master=unquote(match["master"]),
            of_redis={
                "db": int(match["database"] or 0),
                **{name: value for name, value in given.items() if value},
                **secure,
            },
            of_sentinels={
                **{name.removeprefix(OF_SENTINELS): value for name, value in query.items()},
                **secure,
            },
        )


def is_by_sentinel(url: str) -> bool:
    return url.startswith(tuple(f"{scheme}://" for scheme in SENTINEL_SCHEMES))


MEMORY = "memory"
REDIS = "redis"
REDIS_PUBSUB = "redis-pubsub"
LAYERS = (MEMORY, REDIS, REDIS_PUBSUB)
PATHS = {
    MEMORY: "channels.layers.InMemoryChannelLayer",
    REDIS: "channels_redis.core.RedisChannelLayer",
    REDIS_PUBSUB: "channels_redis.pubsub.RedisPubSubChannelLayer",
}
SCHEMES = ("redis", "rediss", "unix", *SENTINEL_SCHEMES)
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
        if not self.url:
            return
        by_sentinel = is_by_sentinel(self.url)
        scheme = "" if by_sentinel else urlsplit(self.url).scheme
        if not by_sentinel and scheme not in SCHEMES:
            raise UsageError(
                f"--layer-url must start with {'://, '.join(SCHEMES)}://, and starts with "
                f"{scheme or 'none of them'}."
            )
        if self.by != TCP:
            raise UsageError("--layer-url already says what --layer-by does; remove one of them.")
        if by_sentinel:
            SentinelUrl.read(self.url)

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
