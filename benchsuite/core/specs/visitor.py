"""Who sends the requests: the user logged in, the host, headers and cookies."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from benchsuite.core.exceptions import UsageError
from benchsuite.core.printable import is_hidden, masked
from benchsuite.core.specs.spec import Spec, option

TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
HOST = re.compile(r"([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}))?")
VALUE = re.compile(r"[\t\x20-\x7e\xa0-\xff]*")
COOKIE_VALUE = re.compile(r"[!-:<-~]*")
SECRET = re.compile(
    r"auth|cookie|token|key|secret|passw|session|credential|signature", re.IGNORECASE
)
"""Headers whose values are secret, by their names."""
ELSEWHERE = {
    "host": "--host=NAME",
    "cookie": "--cookie NAME=VALUE",
    "connection": "--no-keep-alive",
    "sec-websocket-protocol": "--workload-option subprotocol=NAME",
    "sec-websocket-extensions": "--workload-option deflate=true",
}
"""Headers with options of their own."""
OURS = (
    *("content-length", "content-type", "transfer-encoding", "upgrade", "te", "trailer", "expect"),
    *("sec-websocket-key", "sec-websocket-version"),
)
"""Headers about the transfer of a request, which the load's client sets itself."""
RIGHTS = ("superuser", "staff")  #: What may follow the user of --login after a colon.


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitorSpec(Spec):
    """What all users of a load, and the prober, have in common; stored without secrets."""

    group = "Who asks, and what must come back"
    login: str = option(
        "",
        f"--login USER[:{'|:'.join(RIGHTS)}]  ask in the session of this user, who is made where "
        "there is none, with these rights in the throw-away database",
    )
    host: str = option("", "--host NAME  what the Host header says", unless="the server's address")
    headers: tuple[str, ...] = option(
        (), "--header 'NAME: VALUE'  send this header with every request", again=True, secret=True
    )
    cookies: tuple[str, ...] = option(
        (), "--cookie NAME=VALUE  a cookie that every visitor has", again=True, secret=True
    )

    def check(self) -> None:
        if self.login and not self.user:
            raise UsageError(f"--login={self.login} names nobody; write --login=USER{self.login}.")
        written = HOST.fullmatch(self.host)
        if self.host and (written is None or not 0 < int(written["port"] or 80) < 1 << 16):
            raise UsageError(
                f"--host={self.host} is not a host name; write it as in a URL: shop.example."
            )
        for name, value in _distinct("--header", self.headers, ":"):
            if option := ELSEWHERE.get(name.lower()):
                raise UsageError(f"--header {name}: this header has its own option; give {option}.")
            if name.lower() in OURS:
                raise UsageError(
                    f"--header {name}: the load's client sets this header for each request; remove "
                    "it."
                )
            if not VALUE.fullmatch(value):
                raise UsageError(
                    f"--header {name}: a header can't contain this value unencoded; encode it as "
                    "the site does (percent, base64)."
                )
        for name, value in _distinct("--cookie", self.cookies, "="):
            if not COOKIE_VALUE.fullmatch(value):
                raise UsageError(
                    f"--cookie {name}: a cookie can't contain blanks, semicolons or non-ASCII "
                    "characters; encode the value as the site does."
                )

    def __bool__(self) -> bool:
        return self != VisitorSpec()

    @property
    def rights(self) -> str:
        """What the user of the session must be, of `RIGHTS`; empty for what he is."""
        rights = self.login.rpartition(":")[2] if ":" in self.login else ""
        return rights if rights in RIGHTS else ""

    @property
    def user(self) -> str:
        """In whose session all requests are sent, without the rights."""
        return self.login.removesuffix(f":{self.rights}") if self.rights else self.login

    @property
    def header_values(self) -> dict[str, str]:
        return dict(_pairs(self.headers, ":"))

    @property
    def cookie_values(self) -> dict[str, str]:
        return dict(_pairs(self.cookies, "="))

    def sent(self, cookies: Mapping[str, str]) -> dict[str, str]:
        """The headers of a fresh visitor's request; these are the cookies of its workload."""
        host = {"Host": self.host} if self.host else {}
        values = {**cookies, **self.cookie_values}
        line = "; ".join(f"{name}={value}" for name, value in values.items())
        return {**host, **self.header_values, **({"Cookie": line} if line else {})}

    @property
    def lines(self) -> dict[str, str]:
        """Its headers and cookies by their options: "--cookie sid=…" → "sid=s3"."""
        headers = [f"--header '{name.title()}: …'" for name in self.header_values]
        cookies = [f"--cookie {name}=…" for name in self.cookie_values]
        return dict(zip((*headers, *cookies), (*self.headers, *self.cookies), strict=True))

    @property
    def unknown(self) -> tuple[str, ...]:
        """Options of the headers and cookies whose values a stored spec hides."""
        return tuple(option for option, line in self.lines.items() if is_hidden(line))

    def completed(self, given: Self) -> Self:
        """With the values of another one in place of hidden ones."""
        lines = tuple(given.lines.get(option, line) for option, line in self.lines.items())
        count = len(self.headers)
        return replace(self, headers=lines[:count], cookies=lines[count:])

    def to_json(self) -> dict[str, Any]:
        """As stored and shown."""
        headers = [
            f"{name}: {masked(value) if SECRET.search(name) else value}"
            for name, value in self.header_values.items()
        ]
        cookies = [f"{name}={masked(value)}" for name, value in self.cookie_values.items()]
        return {**asdict(self), "headers": headers, "cookies": cookies}

    @property
    def words(self) -> str:
        """In words: "logged in as eve, Host shop.example, cookie lang"."""
        shown = VisitorSpec.from_json(self.to_json())
        rights = f" ({self.rights})" if self.rights else ""
        words = [f"logged in as {self.user}{rights}"] * bool(self.login)
        words += [f"Host {self.host}"] * bool(self.host)
        words += [f"header {one}" for one in shown.headers]
        words += [f"cookie {one}" for one in shown.cookies]
        return ", ".join(words)


def _pairs(texts: Iterable[str], mark: str) -> list[tuple[str, str]]:
    split = (text.partition(mark) for text in texts)
    return [(name.strip(), value.strip()) for name, _, value in split]


def _distinct(flag: str, texts: Iterable[str], mark: str) -> list[tuple[str, str]]:
    """The pairs of an option that may be repeated, each name once."""
    seen: set[str] = set()
    fold: Callable[[str], str] = str.lower if mark == ":" else str
    pairs = _pairs(texts, mark)
    for (name, _), text in zip(pairs, texts, strict=True):
        if mark not in text or not TOKEN.fullmatch(name):
            form = "'Name: value'" if mark == ":" else "name=value"
            raise UsageError(f"{flag} must be {form}, which {name[:20]!r}… is not.")
        if fold(name) in seen:
            raise UsageError(f"{flag} gives {name} twice; remove one of them.")
        seen.add(fold(name))
    return pairs


def over(fields: Mapping[str, str], defaults: Mapping[str, str]) -> dict[str, str]:
    """Header fields, replaced by others of the same name."""
    replaced = {name.lower() for name in defaults}
    return {**{name: fields[name] for name in fields if name.lower() not in replaced}, **defaults}
