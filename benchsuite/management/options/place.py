"""Where runs are made: ports and addresses of this machine, load hosts, an agent elsewhere."""

import ipaddress
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from benchsuite.agent.messages import NOBODY
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import RunSpec, load
from benchsuite.core.specs.spec import Spec, option, optional
from benchsuite.isolation.databases.client import READY_S
from benchsuite.load.hosts.keys import Listening
from benchsuite.runner.assembly import READY_TIMEOUT_S
from benchsuite.servers import running


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(Spec):
    group = "Where it runs"

    port: int | None = optional(
        "--port N  port of the server", within=(1, 65535), unless="a free one"
    )
    bind: str | None = optional(
        "--bind ADDRESS  address of this machine at which the server listens, for load hosts",
        unless="127.0.0.1",
    )
    listen: str | None = optional(
        "--listen HOST:PORT  with --load-hosts: where `benchworker` finds this command",
        needs=("key_file", "--key-file, which says who may join"),
    )
    key_file: str | None = optional(
        "--key-file FILE  with --listen or --agent: from `benchworker --new-key FILE`, the same "
        "there",
        needs=("is_keyed", "--listen or --agent"),
    )
    agent: str | None = optional(
        "--agent HOST:PORT  with --key-file: where `benchagent` watches the --target, or starts "
        f"the server with all that belongs to it, while this machine makes the load; {NOBODY} "
        "makes all here, whatever BENCHSUITE['PLACE'] says",
        needs=("has_key", "--key-file, which says who may join"),
    )
    yes_load: tuple[str, ...] = option(
        (),
        "--yes-load HOST[,HOST…]  load this host, which is not this machine: it must be that of "
        "--target, and stand in BENCHSUITE['TARGETS']",
    )
    start_timeout_s: float | None = optional(
        "--start-timeout TIME  how long making the databases, and then each server, may take "
        "until it answers, and load hosts until they have joined",
        above=(0.0, load.MAX_DURATION_S),
        unless=f"{READY_S:g} s, {READY_TIMEOUT_S:g} s and 300 s",
    )

    def check(self) -> None:
        with suppress(ValueError):
            if self.bind is None or not ipaddress.IPv4Address(self.bind).is_unspecified:
                return
        raise UsageError(
            f"--bind={self.bind!r} is no address of one machine, which load hosts could be "
            "told: write one such as 10.0.0.1."
        )

    @property
    def is_keyed(self) -> bool:
        """Whether somebody may join."""
        return self.listen is not None or self.agent not in (None, NOBODY)

    @property
    def has_key(self) -> bool:
        """Whether an agent can be asked, if there is one."""
        return self.key_file is not None or self.agent == NOBODY

    @property
    def listening(self) -> Listening | None:
        """Where load hosts join; raises UsageError for a file that holds no key."""
        return self._at(self.listen, "--listen")

    @property
    def watching(self) -> Listening | None:
        """Where an agent watches the target; raises as `listening`."""
        return self._at(None if self.agent == NOBODY else self.agent, "--agent")

    def _at(self, address: str | None, flag: str) -> Listening | None:
        if address is None or self.key_file is None:
            return None
        return Listening.at(address, self.key_file, flag=flag)

    def check_runs(self, specs: Iterable[RunSpec]) -> None:
        """Raises UsageError for runs that can't be made here."""
        listening, specs = self.listening, list(specs)
        for spec in specs:
            if self.watching is not None and not running.is_address(spec.server.server):
                raise UsageError(
                    "--agent watches what already runs, and a server that is started here is "
                    "watched anyway: give --target, or leave --agent out."
                )
            if spec.load.hosts and listening is None:
                raise UsageError("--load-hosts needs --listen and --key-file: add them.")
            if self.bind and spec.delay.to_clients_s:
                raise UsageError(
                    "--bind lets other hosts reach the server, and --delay-to-clients puts a proxy "
                    "on 127.0.0.1 before it: leave one of them out."
                )
        if listening is not None and not any(spec.load.hosts for spec in specs):
            raise UsageError("--listen waits for load hosts: say how many by --load-hosts.")
