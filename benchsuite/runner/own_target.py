"""Stands in for the databases' keeper where a server brings its own target: there are none."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from benchsuite.isolation.facts import Facts, Rows


@dataclass
class OwnTarget:
    """What `Keeper` says, said of a target that is not the project: nothing was made or changed."""

    facts: Facts = field(default_factory=Facts)
    settings_changed: Mapping[str, str] = field(default_factory=dict)
    tell: Callable[[str], None] = lambda words: None
    doing = took = ""
    has_made = True

    def wait(self) -> None:
        return None

    @contextmanager
    def clone(self, token: str, **amended: object) -> Iterator[None]:
        yield None

    def counts(self, token: str, variables: Mapping[str, str] = {}) -> Mapping[str, int]:
        return {}

    def rows(self, token: str, watched: Iterable[str] = ()) -> Rows:
        return Rows()
