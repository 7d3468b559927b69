"""How makers of forms draw a page and mark what is wrong on it: three forms of each."""

from tests.foreign.cases import CASES
from tests.foreign.makers import (  # noqa: F401 - each adds its own
    asp_net,
    contact_form_7,
    drupal,
    flat,
    gov_uk,
    lime_survey,
    material,
    old_php,
    rails,
    symfony,
)

THIRTY = tuple(CASES)
