"""The command line of a proxy, and delays that make no sense."""

import math
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.delay.delayer import LISTENING, command, delayed


@pytest.mark.parametrize(
    ("direction", "option"), [("to_server", "--to-server"), ("to_client", "--to-client")]
)
def test_command(direction: str, option: str) -> None:
    words = command(
        ("127.0.0.1", 5432),
        delay_s=0.1,
        direction=direction,  # type: ignore[arg-type]
        listen=("127.0.0.1", 0),
    )
    assert words[-7:-1] == [option, "0.1", "--listen", "127.0.0.1:0", "--loop", "auto"]
    assert words[-1] == "127.0.0.1:5432"
    assert words[1] == "-I", "the project's environment could change it"


def test_small_delays_are_not_rounded_away() -> None:
    words = command(("h", 1), delay_s=0.000123456, direction="to_server", listen=("127.0.0.1", 0))
    assert float(words[words.index("--to-server") + 1]) == pytest.approx(0.000123456, rel=1e-5)


def test_what_it_says_when_it_listens() -> None:
    said = LISTENING.search("a warning\nlistening on 127.0.0.1:40123 with uvloop 0.22.1\n")
    assert said is not None
    assert (said["host"], said["port"], said["loop"]) == ("127.0.0.1", "40123", "uvloop 0.22.1")
    assert LISTENING.search("listening on 127.0.0.1:401") is None, "a line that is being written"


@pytest.mark.parametrize("delay_s", [-0.001, 60.5, math.nan, math.inf])
def test_senseless_delays(delay_s: float, tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="A delay must be from 0 to 60 s"),
        delayed(
            ("127.0.0.1", 1),
            delay_s=delay_s,
            direction="to_server",
            name="proxy",
            folder=tmp_path,
            marker="a-marker",
            env={},
        ),
    ):
        pytest.fail("it was accepted")
