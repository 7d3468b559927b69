"""B101 to B105, B401 to B403, B501 to B503: the run that trips each, and one just below."""

import pytest

from tests.unit.findings.clean import words


@pytest.mark.parametrize("part", ["generator", "host", "project"])
def test_values(golden, part):
    golden.values(words, part)
