"""Completes the form at an address, page by page, with made-up answers."""

import time
from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from benchsuite.core.exceptions import RobotError, UsageError
from benchsuite.core.specs import MAX_DURATION_S
from benchsuite.core.specs.spec import above, whole
from benchsuite.core.units import format_duration
from benchsuite.management.options.parsing import FLAG, PAIRS, BriefCommand, number, whole_number
from benchsuite.robot import ensure_installed
from benchsuite.robot.client import checked_url

if TYPE_CHECKING:
    from benchsuite.robot.completion import Visit

UNCONFIRMED_STATUS = 3  #: Nothing failed, but nothing shows that all were completed.
MOST = 1_000_000_000  #: Completions, and pages of one.


class Command(BriefCommand):
    help = __doc__

    requires_system_checks = []
    failed_status = 2

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("url", help="http://127.0.0.1:8000/survey/")
        add("--count", type=whole_number, default=1, help="Completions (%(default)s).")
        add(
            "--seed",
            type=whole_number,
            default=0,
            help="The same seed gives the same answers (%(default)s).",
        )
        add("--show", **FLAG, help="Print each page and its answers.")
        add(
            "--answer",
            **PAIRS,
            help="An answer that can't be made up, such as a password; may be repeated.",
        )
        add("--done", default="", metavar="TEXT", help="A text that only the last page has.")
        add(
            "--done-url",
            default="",
            metavar="PATTERN",
            help="The path of the last page: '/thanks/*'.",
        )
        add("--max-pages", type=whole_number, default=100, help="Give up after (%(default)s).")
        add("--timeout", type=number, default=30.0, help="Seconds for a page (%(default)s).")
        add("--browser", **FLAG, help="Through Chromium.")
        add(
            "--yes-this-host",
            default="",
            metavar="HOST",
            help="Confirms a host that is not this machine.",
        )

    def handle(self, *, url: str, count: int, seed: int, **options: Any) -> None:
        known = _known(options["answer"])
        if (pattern := options["done_url"]) and not pattern.startswith(("/", "*")):
            raise UsageError(f"--done-url wants a path, such as '/thanks/*', and got {pattern!r}.")
        whole("count", count, 1, MOST)
        whole("max-pages", options["max_pages"], 1, MOST)
        above("timeout", options["timeout"], 0.0, MAX_DURATION_S)
        ensure_installed()
        checked_url(url, confirmed=options["yes_this_host"])
        failed, unconfirmed = self._complete(url, known, count, seed, options)
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

    def _complete(
        self, url: str, known: dict[str, str], count: int, seed: int, options: dict[str, Any]
    ) -> tuple[int, int]:
        """Completes so many times and tells of each; how many failed and were not confirmed."""
        from benchsuite.robot.completion import Sign, lines, summary
        from benchsuite.robot.confirmation import manually
        from benchsuite.robot.walk import Bounds

        def tell(visit: "Visit") -> None:
            for line in lines(visit):
                self.stdout.write(line)

        failed = unconfirmed = 0
        bounds = Bounds(pages=options["max_pages"])
        timeout_s, browser = options["timeout"], options["browser"]
        with manually(
            url,
            known=known,
            bounds=bounds,
            timeout_s=timeout_s,
            browser=browser,
            done=Sign(text=options["done"], url=options["done_url"]),
        ) as completed:
            for number in range(count):
                begin = time.monotonic()
                try:
                    done = completed(f"{seed}:{number}", tell if options["show"] else None)
                except RobotError as error:
                    failed += 1
                    self.stderr.write(f"{number + 1}  not completed: {error}")
                    continue
                said = f"{summary(done)} in {format_duration(time.monotonic() - begin)}"
                if done.evidence:
                    self.stdout.write(f"{number + 1}  completed: {said}")
                else:
                    unconfirmed += 1
                    self.stderr.write(
                        f"{number + 1}  ended without confirmation: {said}; {done.doubt}"
                    )
        return failed, unconfirmed


def _known(pairs: list[str]) -> dict[str, str]:
    known = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"--answer wants NAME=VALUE, and got {pair!r}.")
        known[name] = value
    return known
