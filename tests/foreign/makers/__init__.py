"""How makers of forms draw a page and mark what is wrong on it: three forms of each."""

from itertools import chain

from tests.foreign.cases import Case
from tests.foreign.makers import (
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

MAKERS = (
    old_php,
    contact_form_7,
    drupal,
    rails,
    symfony,
    asp_net,
    gov_uk,
    material,
    lime_survey,
    flat,
)
THIRTY: tuple[Case, ...] = tuple(chain.from_iterable(maker.FORMS for maker in MAKERS))
