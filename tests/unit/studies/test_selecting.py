"""What `--only` means."""

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.studies import matrix
from tests.unit.studies.samples import study


def test_axes_with_values_by_comma_or_by_repeating() -> None:
    found = matrix.selector(["setup=sync", " pool", "delay=0", "delay=100"])
    assert found == {"setup": ("sync", "pool"), "delay": ("0", "100")}


@pytest.mark.parametrize("text", ["setup", "=sync", "setup=", "setup=sync,,pool", " =1"])
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=f"--only={text} is not of the form axis=value"):
        matrix.selector([text])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stup=sync", "shop has no axis 'stup'; did you mean setup? There are: setup, route, del"),
        ("setup=snc", "the axis setup of shop has no 'snc'; did you mean sync? There are: sync, a"),
    ],
)
def test_unknown_names_are_told_with_those_that_there_are(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        matrix.check_selector(study(), matrix.selector([text]))
    assert said in str(refused.value)
