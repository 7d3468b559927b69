"""Completes the form at an address, page by page, with made-up answers."""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.core.management.base import CommandError

from benchsuite.core.exceptions import RobotError, UsageError
from benchsuite.core.specs.load import MAX_DURATION_S
from benchsuite.core.specs.spec import REQUIRED, Spec, option, switch, table
from benchsuite.core.units import format_duration
from benchsuite.management.options.parsing import BriefCommand, read
from benchsuite.robot import ensure_installed
from benchsuite.system import network

if TYPE_CHECKING:
    from benchsuite.robot.completion import Visit

UNCONFIRMED_STATUS = 3  #: Nothing failed, but nothing shows that all were completed.
MOST = 1_000_000_000  #: Completions.


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling(Spec):
    """How often a form is completed, with what, and what shows that it is."""

    url: str = option(REQUIRED, "url  http://127.0.0.1:8000/survey/")
    count: int = option(1, "--count N  completions", within=(1, MOST))
    seed: int = option(0, "--seed N  the same seed gives the same answers")
    show: bool = switch("--show  print each page and its answers")
    answers: Mapping[str, str] = option(
        {}, "--answer NAME=VALUE  an answer that can't be made up, such as a password"
    )
    done: str = option("", "--done TEXT  a text that only the last page has")
    done_url: str = option("", "--done-url PATTERN  the path of the last page: '/thanks/*'")
    timeout_s: float = option(30.0, "--timeout SECONDS  for a page", above=(0.0, MAX_DURATION_S))
    browser: bool = switch("--browser  through Chromium")
    yes_this_host: str = option(
        "", "--yes-this-host HOST  confirms a host that is not this machine"
    )


class Command(BriefCommand):
    help = __doc__
    entries = table(Filling)
    examples = (
        "http://127.0.0.1:8000/survey/",
        'http://127.0.0.1:8000/survey/ --count=20 --done="Thank you"',
        "http://127.0.0.1:8000/survey/ --show --browser",
    )

    requires_system_checks = []
    failed_status = 2

    def handle(self, **options: Any) -> None:
        filling = read(Filling, options)
        count, pattern = filling.count, filling.done_url
        if pattern and not pattern.startswith(("/", "*")):
            raise UsageError(f"--done-url wants a path, such as '/thanks/*', and got {pattern!r}.")
        ensure_installed()
        _ensure_ours(filling.url, confirmed=filling.yes_this_host)
        failed, unconfirmed = self._complete(filling)
        apart = f", {unconfirmed} ended without confirmation" if unconfirmed else ""
        self.stdout.write(f"{count - failed - unconfirmed} of {count} completed{apart}")
        if failed:
            raise CommandError(f"{failed} of {count} could not be completed.", returncode=1)
        if unconfirmed:
            raise CommandError(
                f"{unconfirmed} of {count} may have been completed or not; say what only the last "
                "page has: --done TEXT or --done-url PATTERN.",
                returncode=UNCONFIRMED_STATUS,
            )

    def _complete(self, filling: Filling) -> tuple[int, int]:
        """Completes so many times and tells of each; how many failed and were not confirmed."""
        from benchsuite.robot.completion import Sign
        from benchsuite.robot.confirmation import manually

        failed = unconfirmed = 0
        given: set[str] = set()

        def tell(visit: "Visit") -> None:
            given.update(dict(visit.answers))
            for line in visit.lines if filling.show else ():
                self.stdout.write(line)

        with manually(
            filling.url,
            known=filling.answers,
            timeout_s=filling.timeout_s,
            browser=filling.browser,
            done=Sign(text=filling.done, url=filling.done_url),
        ) as completed:
            for number in range(filling.count):
                begin = time.monotonic()
                try:
                    done = completed(f"{filling.seed}:{number}", tell)
                except RobotError as error:
                    failed += 1
                    self.stderr.write(f"{number + 1}  not completed: {error}")
                    continue
                words = f"{done} in {format_duration(time.monotonic() - begin)}"
                if done.evidence:
                    self.stdout.write(f"{number + 1}  completed: {words}")
                else:
                    unconfirmed += 1
                    self.stderr.write(
                        f"{number + 1}  ended without confirmation: {words}; {done.doubt}"
                    )
        for name in () if failed else sorted(filling.answers.keys() - given):
            self.stderr.write(f"--answer {name}: no page asks for it.")
        return failed, unconfirmed


def _ensure_ours(url: str, *, confirmed: str) -> None:
    """UsageError for an invalid URL, and a host that is neither this machine nor `confirmed`."""
    host = ""
    with suppress(ValueError):
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.port != 0:
            host = parts.hostname or ""
    if not host:
        full = "write it in full: http://127.0.0.1:8000/survey/"
        raise UsageError(f"{url!r} is not the URL of a page; {full}")
    if confirmed != host and not network.is_loopback(host):
        raise UsageError(
            f"{host} is not this machine, and a robot sends made-up data; if the host is yours, "
            f"confirm it with --yes-this-host {host}"
        )
