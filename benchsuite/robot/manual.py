"""Completions for a person at the terminal: by either robot, each time as a new visitor."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from benchsuite.robot.client import BlockingClient
from benchsuite.robot.walk import Bounds, Complete, Completion, OnVisit, complete


@contextmanager
def manually(
    url: str, *, known: Mapping[str, str], bounds: Bounds, timeout_s: float, browser: bool
) -> Iterator[Complete]:
    """A function that completes the survey at a URL once with a seed."""
    if browser:
        from benchsuite.robot.browser import browser_robot

        with browser_robot(url, known=known, bounds=bounds, timeout_s=timeout_s) as completed:
            yield completed
        return

    def once(seed: str, on_visit: OnVisit | None) -> Completion:
        with BlockingClient(url, timeout_s=timeout_s) as client:
            return complete(client, url, seed=seed, known=known, bounds=bounds, on_visit=on_visit)

    yield once
