"""B106: what a second client may see of a page before it disagrees with the load."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchsuite.core.observations import Connection
from benchsuite.core.results import Distribution, Finding, Level, Summary
from benchsuite.findings.host import MOST_TOLD
from benchsuite.stats import histogram
from tests.unit.findings.clean import CLEAN, found, summary


def loaded(median_s: float = 0.1, *, slow: int = 0, **changes: Any) -> Summary:
    """Of 1 000 requests so many took ten times as long."""
    times = np.full(1000, median_s)
    times[:slow] *= 10
    return summary(
        service_time=Distribution(
            count=1000,
            percentiles={50: median_s},
            histogram=histogram.encode(histogram.of(times)),
        ),
        **changes,
    )


def alike(time_s: float, count: int = 25, **changes: Any) -> tuple[Connection, ...]:
    return (Connection(times_s=(time_s,), **changes),) * count


def told(**changes: Any) -> dict[str, Finding]:
    """Findings of a run whose prober saw what is changed of the clean one's."""
    assert CLEAN.probes is not None
    findings = found(probes=replace(CLEAN.probes, **changes))
    assert set(findings) <= {"B106", "B405"}, "no other finding may come of it"
    return findings


def level(**changes: Any) -> Level | None:
    findings = told(**changes)
    return findings["B106"].level if findings else None


@pytest.mark.parametrize(
    ("seen_s", "expected"),
    [
        (0.121, None),  # 10 users see 0.1 s, an outsider 11/10 of it; 10 % more; 1 ms allowed
        (0.122, Level.WEAK),
        (0.1605, Level.WEAK),
        (0.1620, Level.INVALID),
        (0.089, None),
        (0.0885, Level.WEAK),
        (0.0480, Level.INVALID),
    ],
)
def test_another_median(seen_s: float, expected: Level | None) -> None:
    assert level(connections=alike(seen_s)) == expected


@pytest.mark.parametrize(
    ("seen_s", "beyond_s", "ahead_s", "expected"),
    [
        (0.2, 0.005, -1.0, Level.INFO),
        (0.2, 0.015, -1.0, Level.WEAK),
        (0.2, 0.08, -1.0, Level.INVALID),
        (0.04, -1.0, 0.005, Level.INFO),
        (0.04, -1.0, 0.08, Level.INVALID),
        (0.1, 1.0, 1.0, None),  # no other median
    ],
)
def test_what_was_under_way_explains_another_median(
    seen_s: float, beyond_s: float, ahead_s: float, expected: Level | None
) -> None:
    seen = alike(seen_s, beyond_s=(beyond_s,), ahead_s=(ahead_s,))
    assert level(connections=seen) == expected
    faster = told(connections=alike(0.04, beyond_s=(0.0,), ahead_s=(-1.0,)), own_s=0.1)
    assert faster["B106"].level is Level.INVALID, "no queue of the load's makes up its time"


def test_short_of_cpu_is_only_a_load_that_was_seen_to_be() -> None:
    assert CLEAN.probes is not None
    faster = replace(CLEAN.probes, connections=alike(0.04))
    assert "short of CPU" not in found(probes=faster)["B106"].hint
    hint = found(probes=faster, load_cpu_percent=95.0)["B106"].hint
    assert "short of CPU (B101 generator-cpu)" in hint


def test_a_prober_that_can_not_be_sure_says_nothing() -> None:
    """Half of its times are far off: the interval of its median holds the load's."""
    assert level(connections=alike(0.2, 13) + alike(0.1, 12)) is None


@pytest.mark.parametrize(("slow", "expected"), [(480, None), (520, None), (200, Level.INVALID)])
def test_a_page_that_takes_two_ways_has_no_median_to_agree_on(
    slow: int, expected: Level | None
) -> None:
    """Ten slow answers in a row are a chance where half of all are slow, and none where few are."""
    load = loaded(slow=slow)
    median_s = 1.0 if slow > 500 else 0.1
    load = replace(load, service_time=replace(load.service_time, percentiles={50: median_s}))
    assert level(load=load, connections=alike(1.01, 10)) == expected


def test_a_prober_that_waited_for_a_cpu_itself_says_nothing() -> None:
    assert level(connections=alike(0.2), lateness_s=0.1) is None


def test_one_user_may_see_half_of_what_an_outsider_sees() -> None:
    assert level(connections=alike(0.2), users=1.0) is None


@pytest.mark.parametrize(
    ("answered", "hung", "expected"),
    [(0, 8, Level.INVALID), (0, 6, Level.INVALID), (10, 40, Level.INVALID), (30, 20, None)],
)
def test_what_hangs_has_waited(answered: int, hung: int, expected: Level | None) -> None:
    connections = alike(0.1, answered) + alike(1.0, hung, hung=True)
    findings = told(sent=answered + hung, answered=answered, hung=hung, connections=connections)
    assert (findings["B106"].level if findings else None) == expected
    if expected:
        words = f"({hung} of its {answered + hung} requests hung)"
        assert words in findings["B106"].message
        assert "1.00\u2009s to more" in findings["B106"].message


def test_what_hangs_for_less_than_a_load_takes_is_no_evidence() -> None:
    connections = alike(2.0, 14) + alike(0.5, 16, hung=True)
    slow = loaded(2.0)
    assert level(sent=30, answered=14, hung=16, connections=connections, load=slow) is None


def test_what_is_refused_is_evidence_where_the_load_is_not() -> None:
    """As many connections of others are refused as there are; the load has its own."""
    connections = alike(0.001, 30, lost=True)
    refused = {"sent": 30, "answered": 0, "lost": 30, "connections": connections}
    finding = told(**refused)["B106"]
    assert finding.level is Level.INVALID
    assert finding.message.startswith("30 of the 30 requests of an independent prober were refused")
    all_fail = loaded(failures=990)
    assert CLEAN.probes is not None
    probes = replace(CLEAN.probes, **refused, load=all_fail)
    assert "B106" not in found(probes=probes), "the load fares no better"


FAST = Connection(times_s=(0.1, 0.1))
SLOW = Connection(times_s=(1.0,) * 5, beside_s=(0.1,) * 6)
STALLED = Connection(times_s=(1.0,) * 5, beside_s=(1.0,) * 4 + (0.1,) * 2)
ODD = Connection(times_s=(1.0, 1.0, 0.1, 0.1, 0.1), beside_s=(0.1,) * 6)
HUNG = Connection(times_s=(1.0,), hung=True, broke_alone=True)


@pytest.mark.parametrize(
    ("connections", "slow", "expected"),
    [
        ([FAST] * 12 + [SLOW] * 4, 10, Level.WEAK),
        ([FAST] * 8 + [SLOW] * 2, 10, Level.WEAK),
        ([FAST] * 18 + [SLOW] * 2, 10, None),  # a tenth of the connections is the limit
        ([FAST] * 9 + [SLOW], 0, None),  # one may be chance
        ([FAST] * 12 + [SLOW] * 4, 250, None),  # the load sees just that
        ([FAST] * 12 + [STALLED] * 4, 10, None),  # others were slow at the same moments
        ([FAST] * 12 + [ODD] * 4, 10, None),  # slow twice, and then no more
        ([FAST] * 12 + [Connection(times_s=(1.0, 1.0))] * 4, 10, None),  # not asked again
        ([FAST] * 12 + [HUNG] * 4, 10, Level.WEAK),
        ([FAST] * 12 + [HUNG], 10, None),
        ([Connection(times_s=(0.1,))] * 12 + [HUNG] * 4, 10, Level.WEAK),  # none is kept
        ([], 0, None),
    ],
)
def test_connections_that_are_slow_each_time(
    connections: list[Connection], slow: int, expected: Level | None
) -> None:
    assert level(load=loaded(slow=slow), connections=tuple(connections)) == expected


def test_slow_connections_are_told_with_the_loads_own_share() -> None:
    connections = (FAST,) * 15 + (SLOW,) * 5
    message = told(connections=connections, load=loaded(slow=10))["B106"].message
    assert message.startswith("An independent prober waited more than")
    assert "each time on 5 of its 20 connections" in message
    assert "1.00\u2009% of the load's requests were as slow" in message


def test_what_hangs_once_is_no_slow_connection() -> None:
    hung = told(connections=(FAST,) * 12 + (HUNG,) * 4, load=loaded(slow=10))["B106"]
    assert "nothing shows whether the connection matters" in hung.hint
    slow = told(connections=(FAST,) * 12 + (SLOW,) * 4, load=loaded(slow=10))["B106"]
    assert "these connections and not the moment" in slow.hint


def unwatched(**changes: Any) -> str:
    """What B405 says of it, and B106 nothing."""
    findings = found(**changes)
    assert set(findings) <= {"B405"}
    return findings["B405"].message if findings else ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sent": 19, "answered": 19}, "asked only 19 times and needs 20"),
        ({"sent": 0, "answered": 0, "connections": ()}, "asked only 0 times"),
        ({"sent": 50, "answered": 40}, "10 of the prober's 50 requests were ans"),
        ({"load": loaded(0.0)}, "no request of the load was answered correctly"),
    ],
)
def test_what_could_not_be_held_against_the_load_is_said(
    changes: dict[str, Any], words: str
) -> None:
    assert CLEAN.probes is not None
    message = unwatched(probes=replace(CLEAN.probes, **changes))
    assert "whether others see the times that the load sees (B106), as" in message
    assert words in message


def test_few_that_are_all_far_off_are_enough() -> None:
    assert set(told(sent=6, answered=6, connections=alike(0.5, 6))) == {"B106"}
    assert set(told(sent=5, answered=5, connections=alike(0.5, 5))) == {"B405"}


def test_nobody_to_ask_is_said_once() -> None:
    assert "(B106), as it is a chat" in unwatched(probes=None, unprobed="it is a chat")
    stages = [
        replace(CLEAN, stage=f"{users} users", probes=None, unprobed="it is a chat")
        for users in range(MOST_TOLD)
    ]
    assert unwatched(stages=stages).count("it is a chat") == 1


def test_each_stage_that_had_too_few_is_named() -> None:
    assert CLEAN.probes is not None
    few = replace(CLEAN.probes, sent=3, answered=3)
    stages = [replace(CLEAN, stage="5 users", probes=few), replace(CLEAN, stage="10 users")]
    message = unwatched(stages=stages)
    assert "at 5 users (B106)" in message
    assert "10 users" not in message
