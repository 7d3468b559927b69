"""The checked journey: one pass before the load, with the very client that makes the load.

One that sends a form or gets a cookie is made twice, because the load repeats it.
"""

from collections.abc import Callable, Mapping
from time import monotonic

from gevent import Timeout

from benchsuite.core.exceptions import AnswerError, last_line
from benchsuite.load.client.recorder import Recorder
from benchsuite.load.client.refusal import sentence
from benchsuite.load.client.target import Gate, RequestFailed, Target
from benchsuite.load.client.user import UserClient
from benchsuite.load.client.websocket.dialect import Dialect
from benchsuite.load.job import REHEARSAL_LIMIT_S
from benchsuite.load.process.users import told
from benchsuite.workloads.base import Workload

SECOND = (
    "A user's first journey was answered correctly, the second was not: something that the first "
    "left behind (an object that may exist only once, a cookie) is in the way:"
)

UNPAIRED = (
    "a WebSocket and doesn't say which answers are theirs, so they can't be timed: take an "
    "answer with receive(matching=...), or send what needs none with answered=False."
)

VISITS = 2  #: Journeys of each visitor of a rehearsal.
FEWEST = 4  #: Journeys that are rehearsed even of a slow page.
REHEARSING_S = 1.0  #: How long further rehearsals go on.


def refused(
    workload: Workload,
    target: Target,
    cookies: Mapping[str, str],
    *,
    limit_s: float,
    dialect: type[Dialect] | None = None,
) -> tuple[str | None, float]:
    """Why the target can't be measured with this workload, or None when every answer was right;
    and how many seconds the last checked journey took.
    """

    def new_client() -> UserClient:
        return UserClient(
            target,
            Recorder(),
            Gate(),
            user=0,
            cookies=cookies,
            dialect=dialect,
            rehearsal=True,
        )

    client = new_client()
    try:
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
    finally:
        client.close()
    if message is None:
        _rehearse(workload, new_client)
    return message, journey_s


def _rehearse(workload: Workload, new_client: Callable[[], UserClient]) -> None:
    """Makes the journey as often as the workload asks, two for each new visitor; a failure ends
    the rehearsal, and is left to the load to count.
    """
    begin = monotonic()
    for made in range(1, workload.rehearsals, VISITS):
        if made > FEWEST and monotonic() - begin > REHEARSING_S:
            break
        client = new_client()
        try:
            for _ in range(VISITS):
                client.begin()
                left_s = begin + REHEARSAL_LIMIT_S - monotonic()
                if left_s <= 0 or _refused_once(workload, client, left_s) is not None:
                    break
        finally:
            client.close()
    workload.rehearsed()


def _refused_once(workload: Workload, client: UserClient, limit_s: float) -> str | None:
    claim = ""
    timeout = Timeout.start_new(limit_s)
    try:
        workload.journey(client)
    except RequestFailed as error:
        claim = told(error)
    except (AnswerError, AssertionError) as error:
        claim = told(error)
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
        return sentence(client.failed, host=client.target.place, given=client.target.given)
    if claim:
        return f"The journey of {workload.name} says: {claim}."
    if client.unpaired:
        return f"The journey of {workload.name} sends {client.unpaired} messages over {UNPAIRED}"
    if not client.requests:
        return f"The journey of {workload.name} makes no request, so there is nothing to measure."
    return None
