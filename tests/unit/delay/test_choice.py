"""Which delayer a run takes, and why."""

from typing import Any

import pytest

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.delay.choice import choose
from benchsuite.servers.base import Available

HERE = Available(True)
MISSING = Available(False, "this kernel has no netem (unknown)", "modprobe sch_netem")


def chosen(asked: str, **differently: Any) -> tuple[str, str]:
    given: dict[str, Any] = {"netem": HERE, "cut_off": (), "may_reach_more": False}
    choice = choose(asked, **{**given, **differently})
    return choice.by, choice.reason


@pytest.mark.parametrize("netem", [HERE, MISSING])
def test_proxy_can_always_be_had(netem: Available) -> None:
    cut_off = ["the cache 'default'"]
    assert chosen("proxy", netem=netem, cut_off=cut_off) == ("proxy", "it was asked for")


def test_auto_takes_the_kernel_where_nothing_is_out_of_reach() -> None:
    by, reason = chosen("auto")
    assert by == "netem"
    assert reason == "the kernel has it, and reaches all that the project needs"


@pytest.mark.parametrize(
    ("differently", "reason"),
    [
        ({"netem": MISSING}, "no netem: this kernel has no netem (unknown)"),
        (
            {"cut_off": ["the cache 'a'", "the storage 'b'"]},
            "a private network would cut it off from the cache 'a' and the storage 'b'",
        ),
        ({"to_layer": True}, "only a proxy delays a channel layer"),
        (
            {"may_reach_more": True},
            "the project may need more than a private network reaches",
        ),
    ],
)
def test_auto_takes_the_proxy_otherwise(differently: dict[str, Any], reason: str) -> None:
    assert chosen("auto", **differently) == ("proxy", reason)


def test_netem_that_is_not_here() -> None:
    with pytest.raises(UnavailableError) as raised:
        chosen("netem", netem=MISSING)
    assert str(raised.value) == (
        "--delay-by=netem can't delay here: this kernel has no netem (unknown); "
        "modprobe sch_netem, or take --delay-by=proxy."
    )


def test_netem_can_not_delay_a_layer() -> None:
    with pytest.raises(UsageError, match="--delay-to-layer needs a proxy; take --delay-by=proxy"):
        chosen("netem", to_layer=True)


def test_netem_that_would_break_the_project() -> None:
    with pytest.raises(UsageError) as raised:
        chosen("netem", cut_off=["the cache 'default'"])
    assert str(raised.value) == (
        "--delay-by=netem is impossible, because a private network would cut it off from "
        "the cache 'default'; take --delay-by=proxy."
    )


def test_netem_is_taken_when_asked_for_although_a_project_may_want_more() -> None:
    assert chosen("netem", may_reach_more=True) == ("netem", "it was asked for")


def test_unknown_delayer() -> None:
    with pytest.raises(UsageError, match="there are: auto, proxy, netem"):
        chosen("magic")
