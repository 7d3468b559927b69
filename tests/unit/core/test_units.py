"""Numbers as people read them, and times as they write them."""

from benchsuite.core import units


def plain(text):
    """With thin spaces as underscores, so that a failing test can be read."""
    return text.replace(units.THIN_SPACE, "_")


def test_values(golden):
    golden.values()
