"""Thirty forms of ten makers: completed with what the maker takes, or told honestly why not."""

import pytest

from benchsuite.core.exceptions import RobotError
from benchsuite.robot.confirmation import Site
from benchsuite.robot.walk import Walk, complete
from tests.foreign.makers import THIRTY, Case
from tests.needs import needs

pytestmark = needs("selectolax", "faker")

SEEDS = range(8)
UNCONFIRMED = (
    "trap",
    "places for messages",  # a newsletter beside the thanks
    "flashes its thanks",
    "twin of a box",  # a log-in beside the thanks
    "kept by GET",  # an empty form is taken, too
)
"""What ends without confirmation, where nobody says what the end looks like."""


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("case", THIRTY, ids=lambda case: case.name)
def test_the_form_is_completed_or_the_reason_quoted(case: Case, seed: int) -> None:
    site = case.make()
    if case.fails:
        with pytest.raises(RobotError, match=case.fails):
            complete(site, "/", seed=seed)  # type: ignore[arg-type]
        return
    done = complete(site, "/", seed=seed)  # type: ignore[arg-type]
    assert site.done == 1
    judged = Site(lambda: Walk(site, "/")).judged(done)
    assert bool(judged.evidence) is not case.name.endswith(UNCONFIRMED), judged.doubt
    assert len(done.visits) == len(site.pages)
