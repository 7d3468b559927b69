"""What the robot costs: python -m benchmarks.robot

The pages of the seven surveys are recorded once from the application itself, in this process. Then
the robot completes them again and again from memory, without a network and without Django. Beside
it stands what Django takes to make the same pages on the same CPU.
"""

import argparse
import os
import platform
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from time import process_time
from typing import Any

from benchmarks.machine import own_cpus, pinned, wait_until_quiet
from benchmarks.table import markdown

REPEATS = 5
AT_LEAST_S = 0.4
"""CPU time of one measurement."""

GOAL = 10.0
"""The robot is to be this many times as fast as Django renders, on one core."""


@dataclass(frozen=True)
class Answer:
    status_code: int
    content: bytes
    headers: dict[str, str]


@dataclass
class Recorded:
    """The pages of one survey by method and path, as `client` answered them, or will."""

    client: Any = None
    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)

    def get(self, path: str, **more: Any) -> Answer:
        return self._answer("GET", path)

    def post(self, path: str, data: Any, content_type: str, **more: Any) -> Answer:
        return self._answer("POST", path, data, content_type)

    def _answer(self, method: str, path: str, *body: Any) -> Answer:
        if self.client is not None:
            response = getattr(self.client, method.lower())(path, *body)
            headers = dict(response.headers)
            self.answers[method, path] = Answer(response.status_code, response.content, headers)
        return self.answers[method, path]


def main() -> None:
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DATABASE_URL"] = f"sqlite:///{folder}/robot.sqlite3"
        os.environ["DJANGO_SETTINGS_MODULE"] = "testproject.settings.target"
        os.environ["BENCHSUITE_RUN"] = "0123456789ab"
        import django

        django.setup()
        from django.core.management import call_command
        from django.test.utils import setup_test_environment

        call_command("migrate", verbosity=0)
        setup_test_environment()
        from benchsuite.target.survey.definitions import load_surveys

        load_surveys()
        with pinned(own_cpus()[0]):
            busy = wait_until_quiet(20.0)
            measure(busy)


def measure(busy: float) -> None:
    from django.test import Client

    from benchsuite.robot.parsing import read
    from benchsuite.robot.walk import complete
    from benchsuite.workloads.survey import SLUGS

    rows = []
    ratios = []
    for slug in SLUGS:
        start = f"/bench/survey/{slug}/"

        def completed(recorded: Recorded, start: str = start) -> int:
            """The pages of it."""
            return len(complete(recorded, start, seed=1).visits) + 1  # type: ignore[arg-type]

        def parsed(pages: list[bytes]) -> int:
            for page in pages:
                read(page)
            return len(pages)

        recorded = Recorded(Client())
        completed(recorded)
        recorded.client = None
        pages = [one.content for one in recorded.answers.values() if one.content]
        robots, parsers = rate(partial(completed, recorded)), rate(partial(parsed, pages))
        both = rate(lambda completed=completed: completed(Recorded(Client())))
        django_alone = 1 / (1 / both - 1 / robots)
        ratios.append(robots / django_alone)
        size = statistics.mean(len(page) for page in pages)
        rows.append(
            (
                slug,
                str(len(pages)),
                f"{size / 1024:.1f} KiB",
                f"{parsers:,.0f}",
                f"{robots:,.0f}",
                f"{1e6 / robots:,.0f} µs",
                f"{django_alone:,.0f}",
                f"{ratios[-1]:.1f}×",
            )
        )
    print(
        f"Python {platform.python_version()}, selectolax {version('selectolax')}, one CPU; others "
        f"used {busy:.0%} of the machine when it began. Median of {REPEATS}.\n"
    )
    head = ("survey", "pages", "size", "read /s", "robot /s", "a page", "Django /s", "robot/Django")
    print(markdown(head, rows))
    word = "met" if min(ratios) >= GOAL else "missed"
    print(f"\nGoal: at least {GOAL:g} times what Django makes per core: {word}.")


def rate(work: Callable[[], int]) -> float:
    """Pages a second of CPU time, the median of some measurements."""
    work()
    rates = []
    for _ in range(REPEATS):
        pages, begin = 0, process_time()
        while process_time() - begin < AT_LEAST_S:
            pages += work()
        rates.append(pages / (process_time() - begin))
    return statistics.median(rates)


if __name__ == "__main__":
    main()
