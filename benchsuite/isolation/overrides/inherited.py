"""Variables of the environment that name what a run replaces: databases, servers and folders, found
by value. They then name what the run has in its place or, where it has nothing of that kind, the
same address on a port where nobody listens: settings that read them must still load.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from benchsuite.core.plain import leaves
from benchsuite.core.refusals import SQLITE, where
from benchsuite.core.specs.database import NAME_OPTIONS, PORTS, vendor_of
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.changes import Changes

OURS = ("BENCHSUITE_", "DJANGO_SETTINGS_MODULE")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
REDIS = ("redi", "valkey")  #: Kinds of schemes, as `_kind` has them.
_ADDRESS = re.compile(
    r"(?:(?P<scheme>[A-Za-z][\w+.-]*)://(?:(?P<login>[^\s/]*)@)?)?"
    r"(?P<host>\[[\da-fA-F:]+\]|[^/:?#@\s,;=]*)(?::(?P<port>\d*))?(?P<path>/[^?#\s,;]*)?"
    r"(?P<rest>(?:[?#]\S*)?)"
)
_PAIR = re.compile(r"(?P<key>\w+)=(?P<value>[^=]*)")
_WORD = re.compile(r"[^\s,;]+")


class Place(NamedTuple):
    """Where something is reached; what isn't said is empty."""

    scheme: str = ""
    user: str = ""
    password: str = ""
    host: str = ""
    port: str = ""
    name: str = ""  #: Of a database; empty for a server, whatever it holds.

    def is_at(self, other: "Place") -> bool:
        """Whether the other one names this; without both schemes, only by the same port."""
        schemes = {_kind(one) for one in (self.scheme, other.scheme)} - {""}
        any_port = self.name or (self.scheme and other.scheme)
        ports = {self.port, other.port} - ({""} if any_port else set())
        named = self.name in ("", other.name) or not (other.scheme or other.name)
        same_host = _host(self.host) == _host(other.host)
        return named and same_host and len(ports) < 2 and len(schemes) < 2


NOWHERE = Place(host="127.0.0.1", port="9")  #: "Discard", a port that only root can open.


class Replaced:
    """What a run replaces, by where the project's settings had it."""

    def __init__(self, changes: Changes, instructions: Instructions) -> None:
        before, after, folder = changes.settings, changes.values, instructions.folder
        redis = instructions.redis_tcp_url
        self._moves: list[tuple[Place, Place]] = []
        paths = {os.path.abspath(old): new for new, old in changes.folders.items() if old}
        old, new = (one.get("DATABASES") or {} for one in (before, after))
        for alias in old.keys() & new.keys():
            own, other = _entry(old[alias]), _entry(new[alias])
            if where(old[alias]) != SQLITE:
                self._moves += [(own, other)] * (own != other)
            elif not re.search(":memory:|mode=memory", own.name):
                in_file = where(new[alias]) == SQLITE
                paths[os.path.abspath(own.name)] = other.name if in_file else f"{folder}/none"
        changed = {name: before[name] for name in after if name in before and name != "DATABASES"}
        for name, value in changed.items():
            paths.update(_folders(value, after[name]))
        around = (os.getcwd(), sys.prefix, folder, str(before.get("BASE_DIR") or folder))
        self._paths = {  # a folder that holds one of these is more than what is replaced
            path: place
            for path, place in sorted(paths.items(), reverse=True)
            if path != place and not any(PurePath(one).is_relative_to(path) for one in around)
        }
        left = set(_servers(after))
        for server in dict.fromkeys(_servers(changed)):
            in_redis = bool(redis) and _kind(server.scheme) in REDIS
            if in_redis or server not in left:
                self._moves.append((server, next(_servers(redis)) if in_redis else NOWHERE))

    def addresses(self, variables: Mapping[str, str]) -> dict[str, str]:
        """The variables that hold an address, each with what it holds from now on."""
        return _different(variables, lambda text, name: self.text(text))

    def parts(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Those that hold a part of one; replaced once settings that choose by it are loaded."""
        return _different(variables, self.part)

    def text(self, text: str) -> str:
        """A text with its addresses replaced: URL, host and port, path, DSN, or JSON with some."""
        if text.lstrip()[:1] in ("{", "["):
            try:
                before = json.loads(text)
            except ValueError:
                return text
            after = leaves(before, self.text, self.pair)
            return text if after == before else json.dumps(after)
        match = _ADDRESS.fullmatch(text)
        if match and (match["scheme"] or match["port"]):
            return self._address(match)
        if path := self._path(text):
            return path
        if pair := _PAIR.fullmatch(text):
            part = self.part(pair["value"], pair["key"])
            return f"{pair['key']}={self.text(part) if part == pair['value'] else part}"
        return _WORD.sub(lambda word: self.text(word[0]) if word[0] != text else text, text)

    def part(self, text: str, name: str) -> str:
        """One part of an address; of several equal ones that which `name` tells, else the last."""
        parts = [
            (key, getattr(new, key))
            for old, new in self._moves
            for key in Place._fields[1:]
            if text
            and text == getattr(old, key)
            and (key != "host" or _host(text) != _host(new.host))
        ]
        meant = [part for key, part in parts if key[:4] in name.lower()]
        return next(iter([*meant, *(part for _, part in reversed(parts))]), text)

    def pair(self, entry: dict[Any, Any]) -> dict[Any, Any]:
        """A mapping with host and port of a server, which then are those of what the run has."""
        keys, here = {str(key).lower(): key for key in entry}, _server(entry)
        for old, new in self._moves:
            if here and not old.name and old.is_at(here):
                port = new.port if isinstance(entry[keys["port"]], str) else int(new.port)
                parts = {"host": new.host, "port": port, "password": new.password}
                own = dict.fromkeys(keys.keys() & {"username", "ssl"})  # are of the old server
                own |= {key: part for key, part in parts.items() if part}
                return {**entry, **{keys.get(key, key): part for key, part in own.items()}}
        return entry

    def _address(self, match: re.Match[str]) -> str:
        here, path = _place(match), match["path"] or ""
        if not here.host:
            for skipped in (0, 1):  # sqlite:///relative
                if place := self._path(unquote(path)[skipped:]):
                    return f"{here.scheme}://{'/' * skipped}{quote(place)}{match['rest']}"
        for old, new in self._moves:
            if not old.is_at(here):
                continue
            login, place = match["login"] or "", f"{match['host']}:{match['port'] or ''}"
            if (old.host, old.port) != (new.host, new.port):
                login = ":".join(quote(one, safe="") for one in (new.user, new.password))
                place = f"{quote(new.host, safe='[]:')}:{new.port}"
            name = f"/{quote(new.name, safe='')}" if old.name and here.name else path
            start = f"{new.scheme or here.scheme}://{login.rstrip(':')}@".replace("//@", "//")
            return f"{start * bool(here.scheme)}{place.rstrip(':')}{name}{match['rest']}"
        return match[0]

    def _path(self, text: str) -> str:
        """What is in place of a path; empty for one that is not replaced, and for a mere word."""
        path = PurePath(os.path.abspath(text)) if "/" in text or "." in text else PurePath()
        for old, new in self._paths.items():
            if path.is_relative_to(old):
                return str(PurePath(new, path.relative_to(old)))
        return ""


def _different(variables: Mapping[str, str], change: Callable[[str, str], str]) -> dict[str, str]:
    own = {name: text for name, text in variables.items() if not name.startswith(OURS)}
    changed = {name: change(text, name) for name, text in own.items()}
    return {name: text for name, text in changed.items() if text != own[name]}


def _entry(entry: Mapping[str, Any]) -> Place:
    """Of DATABASES; drivers listen to some of its OPTIONS in place of NAME."""
    options = entry.get("OPTIONS") or {}
    name = next((options[one] for one in NAME_OPTIONS if one in options), entry.get("NAME"))
    parts = [entry.get(key) or "" for key in ("USER", "PASSWORD", "HOST")]
    port = entry.get("PORT") or PORTS.get(vendor_of(entry), "")
    return Place("", *map(str, [*parts, port, name or ""]))


def _place(match: re.Match[str]) -> Place:
    """Without a host, such as in a URL of Amazon's, the log-in is where it is."""
    login = match["login"] or ""
    user, _, password = map(unquote, login.partition(":"))
    name = unquote((match["path"] or "").strip("/"))
    host = unquote(match["host"]) or login
    scheme = match["scheme"] or ""
    port = match["port"] or "6379" * (_kind(scheme) in REDIS)  # the usual one
    return Place(scheme, user, password, host, port, name)


def _host(name: str) -> str:
    """The host as it can be compared; the folder of a Unix socket is on this machine, too."""
    host = name.lower().strip("[]")
    return "" if host in LOOPBACK or host.startswith("/") else host


def _kind(scheme: str) -> str:
    """The same for a scheme with TLS ("rediss"), or with the name of a driver ("mysql+pymysql")."""
    return scheme.lower().partition("+")[0].rstrip("s")


def _server(entry: Mapping[Any, Any]) -> Place | None:
    """That whose host and port a mapping has; no lazy object is evaluated."""
    parts = {str(key).lower(): item for key, item in entry.items()}
    host, port = parts.get("host"), parts.get("port")
    is_one = issubclass(type(host), str) and issubclass(type(port), (str, int)) and port
    return Place(host=str(host), port=str(port)) if is_one else None


def _servers(value: Any) -> Iterator[Place]:
    """Every server that a setting names, in whatever form."""
    if isinstance(value, str):
        for match in filter(None, map(_ADDRESS.fullmatch, _WORD.findall(value))):
            place = _place(match)
            if place.host and (place.scheme or place.port):
                yield place._replace(name="")
    elif isinstance(value, Mapping):
        yield from filter(None, [_server(value)])
        for item in value.values():
            yield from _servers(item)
    elif isinstance(value, (list, tuple)):
        if [type(item) for item in value] == [str, int]:
            yield Place(host=value[0], port=str(value[1]))
        for item in value:
            yield from _servers(item)


def _folders(before: Any, after: Any) -> Iterator[tuple[str, str]]:
    """Each path in a setting that another one has replaced."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in before.keys() & after.keys():
            yield from _folders(before[key], after[key])
    elif isinstance(before, (str, PurePath)) and isinstance(after, (str, PurePath)):
        old, new = (re.sub(r"^\w+://|\?.*", "", str(one)) for one in (before, after))
        if os.path.isabs(old) and os.path.isabs(new):
            yield os.path.normpath(old), new
