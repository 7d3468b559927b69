"""A Redis that Sentinels name: redis+sentinel://:password@one:26379,two:26379/mymaster/0."""

import re
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from benchsuite.core.exceptions import UsageError

SCHEMES = ("redis+sentinel", "rediss+sentinel")
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
    of_redis: dict[str, Any]
    """Arguments of connections to the master: db, username, password, ssl."""
    of_sentinels: dict[str, Any]  #: The same for the Sentinels.

    @classmethod
    def read(cls, url: str) -> Self:
        """Raises UsageError, without the URL's content, if a part is missing or wrong."""
        found = _URL.fullmatch(url)
        query = dict(parse_qsl(found["query"] or "")) if found else {}
        if found is None or not all(name.startswith(OF_SENTINELS) for name in query):
            raise _refusal()
        try:
            sentinels = tuple(_place(one) for one in found["places"].split(","))
        except ValueError:
            raise _refusal() from None
        secure = {"ssl": True} if found["scheme"] == "rediss" else {}
        given = {name: unquote(found[name] or "") for name in ("username", "password")}
        return cls(
            sentinels=sentinels,
            master=unquote(found["master"]),
            of_redis={
                "db": int(found["database"] or 0),
                **{name: value for name, value in given.items() if value},
                **secure,
            },
            of_sentinels={
                **{name.removeprefix(OF_SENTINELS): value for name, value in query.items()},
                **secure,
            },
        )


def is_by_sentinel(url: str) -> bool:
    return url.startswith(tuple(f"{scheme}://" for scheme in SCHEMES))


def _place(one: str) -> tuple[str, int]:
    """host, host:port or [::1]:port; raises ValueError for none of them."""
    parts = urlsplit(f"//{one}")
    if not parts.hostname:
        raise ValueError
    return parts.hostname, parts.port or PORT


def _refusal() -> UsageError:
    return UsageError(
        f"A layer by Sentinel needs a URL such as {FORM}, with sentinel_username and "
        "sentinel_password in its query if the Sentinels require them; the given one is different."
    )
