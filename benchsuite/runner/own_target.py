"""Stands in for the databases' keeper where a server brings its own target: there are none."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from benchsuite.core.specs import WorkloadSpec
from benchsuite.isolation.facts import Facts


@dataclass(frozen=True, slots=True)
class OwnTarget:
    """What `Keeper` says, said of a target that is not the project: nothing was made or changed."""

    workload: WorkloadSpec
    signed_in: str = ""

    def wait(self) -> None:
        return None

    @property
    def settings_changed(self) -> Mapping[str, str]:
        return {}

    slowing = undone = cookies = settings_changed

    @property
    def facts(self) -> Facts:
        return Facts(database_address=None, cut_off=(), static_url="", static_root="")

    @contextmanager
    def clone(self, token: str, **amended: object) -> Iterator[None]:
        yield None

    def counts(self, token: str) -> Mapping[str, int]:
        return {}
