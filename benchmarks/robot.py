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
    """One survey: its pages by method and path, as they were answered."""

    slug: str
    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    requests: int = 0

    def get(self, path: str, **more: Any) -> Answer:
        return self._ask("GET", path)

    def post(self, path: str, data: Any, content_type: str, **more: Any) -> Answer:
        return self._ask("POST", path)

    def _ask(self, method: str, path: str) -> Answer:
        self.requests += 1
        return self.answers[method, path]


class Recorder:
    """Asks the application, and keeps what it answered."""

    def __init__(self, recorded: Recorded) -> None:
        from django.test import Client

        self._recorded = recorded
        self._client = Client()

    def get(self, path: str, **more: Any) -> Answer:
        return self._kept("GET", path, self._client.get(path))

    def post(self, path: str, data: Any, content_type: str, **more: Any) -> Answer:
        return self._kept("POST", path, self._client.post(path, data, content_type))

    def _kept(self, method: str, path: str, response: Any) -> Answer:
        answer = Answer(response.status_code, response.content, dict(response.headers))
        self._recorded.answers[method, path] = answer
        return answer


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
        from benchsuite.target.survey.loading import load_surveys

        load_surveys()
        with pinned(own_cpus()[0]):
            busy = wait_until_quiet(20.0)
            measure(busy)


def measure(busy: float) -> None:
    from benchsuite.robot.parsing import read
    from benchsuite.robot.walk import complete
    from benchsuite.workloads.survey import SLUGS

    rows = []
    ratios = []
    for slug in SLUGS:
        recorded = Recorded(slug)
        start = f"/bench/survey/{slug}/"
        complete(Recorder(recorded), start, seed=1)  # type: ignore[arg-type]
        pages = [one.content for one in recorded.answers.values() if one.content]

        def robot(recorded: Recorded = recorded, start: str = start) -> int:
            recorded.requests = 0
            done = complete(recorded, start, seed=1)  # type: ignore[arg-type]
            return len(done.visits) + 1

        def parser(pages: list[bytes] = pages) -> int:
            for page in pages:
                read(page)
            return len(pages)

        def application(slug: str = slug, start: str = start) -> int:
            done = complete(Recorder(Recorded(slug)), start, seed=1)  # type: ignore[arg-type]
            return len(done.visits) + 1

        robots, parsers, both = rate(robot), rate(parser), rate(application)
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
    found = []
    for _ in range(REPEATS):
        pages, begin = 0, process_time()
        while process_time() - begin < AT_LEAST_S:
            pages += work()
        found.append(pages / (process_time() - begin))
    return statistics.median(found)


if __name__ == "__main__":
    main()
