"""The checked journey: one pass before the load, with the very client that makes the load.

One that sends a form or gets a cookie is made twice, because the load repeats it.
"""

import random
from collections import Counter
from contextlib import closing
from time import monotonic
from typing import Any

from gevent import Timeout

from benchsuite.core.exceptions import AnswerError, last_line, own_words
from benchsuite.load.client.failures import refusal_sentence
from benchsuite.load.client.target import Gate, Recorder, RequestFailed, Target
from benchsuite.load.client.user import UserClient
from benchsuite.load.job import AGAIN, LOOK, REHEARSAL_LIMIT_S, Rehearsal
from benchsuite.workloads.base import Workload

SECOND = (
    "A user's first journey was answered correctly, the second was not: something that the first "
    "left behind (an object that may exist only once, a cookie) is in the way:"
)
VISITS = 2  #: Journeys of each visitor of a rehearsal.
FEWEST = 4  #: Journeys that are rehearsed even of a slow page.
REHEARSING_S = 1.0  #: How long further rehearsals go on.


class Visitor(UserClient):
    """Somebody whose answers nobody times; it is known which forms he has sent."""

    looks = False  #: Whether he leaves where a form is to be sent.

    def __init__(self, target: Target) -> None:
        super().__init__(target, Recorder(), Gate(), user=0, rehearsal=True)
        self.posts: Counter[str] = Counter()  #: Name of a request → how many forms it sent.
        self._drawn = random.getstate()  #: Before the last rehearsal.

    def rehearse(self, workload: Workload, kind: str, limit_s: float) -> Rehearsal:
        """Makes the journey once more: `LOOK`, `NEW` or `AGAIN`."""
        self.begin()
        self.posts, self.looks = Counter(), kind == LOOK
        going_on = random.getstate()
        if kind == AGAIN:
            random.setstate(self._drawn)
        self._drawn = random.getstate()
        refusal = _refused_once(workload, self, limit_s)
        self.settle()
        self.close()  # a kept connection would take a slot from the load
        if kind == AGAIN:
            random.setstate(going_on)
        return Rehearsal(kind=kind, right=refusal is None, posts=dict(self.posts))

    def post(self, path: str, *args: Any, name: str = "", **options: Any) -> Any:
        if self.looks:
            raise RequestFailed("only looked at")
        self.posts[name or f"POST {path.partition('?')[0]}"] += 1
        return super().post(path, *args, name=name, **options)


def refused(
    workload: Workload, target: Target, limit_s: float
) -> tuple[dict[str, Any] | None, float, bool, int]:
    """Why the target can't be measured with this workload, with the answer that was wrong, or None;
    how many seconds the last checked journey took; whether it sent forms; its requests.
    """
    with closing(Visitor(target)) as client:
        begin = monotonic()
        message = _refused_once(workload, client, limit_s)
        if message is None and client.left_traces:
            client.settle()
            client.begin()
            begin = monotonic()
            message = _refused_once(workload, client, limit_s)
            if message is not None:
                message = f"{SECOND} {message}"
        journey_s = monotonic() - begin
    if message is not None:
        refusal: dict[str, Any] = {"message": message}
        if client.failed is not None:
            names = ("method", "path", "status", "why")
            refusal |= {name: getattr(client.failed, name) for name in names}
        return refusal, journey_s, bool(client.posts), client.requests
    # rehearsed as often as the workload asks, two for each new visitor; a failure ends that, and is
    # left to the load to count
    posts, requests, begin = bool(client.posts), client.requests, monotonic()
    for made in range(1, workload.rehearsals, VISITS):
        if made > FEWEST and monotonic() - begin > REHEARSING_S:
            break
        with closing(Visitor(target)) as visitor:
            for _ in range(VISITS):
                visitor.begin()
                left_s = begin + REHEARSAL_LIMIT_S - monotonic()
                if left_s <= 0 or _refused_once(workload, visitor, left_s) is not None:
                    break
    workload.rehearsed()
    return None, journey_s, posts, requests


def _refused_once(workload: Workload, client: UserClient, limit_s: float) -> str | None:
    claim = ""
    timeout = Timeout.start_new(limit_s)
    try:
        workload.journey(client)
    except RequestFailed as error:
        claim = own_words(error)
    except (AnswerError, AssertionError) as error:
        claim = own_words(error)
        client.reject(error, claim)
    except Timeout as expired:
        if expired is not timeout:
            raise
        return f"One journey of {workload.name} took longer than {limit_s:g} s; make it shorter."
    except Exception as error:  # noqa: BLE001 - a journey is foreign code
        return f"The journey of {workload.name} broke off: {last_line(error)}."
    finally:
        timeout.close()
    if client.failed is not None:
        return refusal_sentence(client.failed, client.target)
    if claim:
        return f"The journey of {workload.name} says: {claim}."
    if client.unpaired:
        return (
            f"The journey of {workload.name} sends {client.unpaired} messages over a WebSocket and "
            "doesn't say which answers are theirs, so they can't be timed: take an answer with "
            "receive(matching=...), or send what needs none with answered=False."
        )
    if not client.requests:
        return f"The journey of {workload.name} makes no request, so there is nothing to measure."
    return None
