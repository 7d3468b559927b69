"""URLs of a Redis that Sentinels name."""

from benchsuite.core.exceptions import UsageError
from benchsuite.core.printable import hidden
from benchsuite.core.specs import LayerSpec

WHOLE = "rediss+sentinel://eve:s%40cret@one,[::1]:99/my-master/3?sentinel_password=p4ss"


def test_a_part_that_is_missing_or_wrong_is_refused_without_telling_secrets(golden):
    golden.cases(lambda url: LayerSpec(backend="redis", url=url), refuses=UsageError)


def test_the_url_is_shown_without_passwords():
    shown = LayerSpec(backend="redis-pubsub", url=WHOLE).words
    assert "my-master" in shown
    assert "cret" not in shown + hidden(WHOLE)
    assert "p4ss" not in shown + hidden(WHOLE)


def test_values(golden):
    golden.values()
