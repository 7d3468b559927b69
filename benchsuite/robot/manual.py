"""Completions for a person at the terminal: by either robot, each time as a new visitor."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from benchsuite.robot.client import BlockingClient
from benchsuite.robot.completion import Completion, Sign
from benchsuite.robot.confirmation import Site
from benchsuite.robot.walk import Bounds, Complete, OnVisit, Walk, complete


@contextmanager
def manually(
    url: str,
    *,
    known: Mapping[str, str],
    bounds: Bounds,
    timeout_s: float,
    browser: bool,
    done: Sign,
) -> Iterator[Complete]:
    """A function that completes the survey at a URL once with a seed.

    What a confirmation looks like is learned from the first completion.
    """

    @contextmanager
    def stranger() -> Iterator[Walk]:
        with BlockingClient(url, timeout_s=timeout_s) as client:
            yield Walk(client, url)

    site = Site(stranger)
    if browser:
        from benchsuite.robot.browser import browser_robot

        with browser_robot(
            url, known=known, bounds=bounds, timeout_s=timeout_s, done=done
        ) as completed:
            yield lambda seed, on_visit: site.judged(completed(seed, on_visit))
        return

    def once(seed: str, on_visit: OnVisit | None) -> Completion:
        with BlockingClient(url, timeout_s=timeout_s) as client:
            ended = complete(
                client, url, seed=seed, known=known, bounds=bounds, done=done, on_visit=on_visit
            )
        return site.judged(ended)

    yield once
