"""The kinds of question, and the limits that each kind has."""

from django.db import models


class Kind(models.TextChoices):
    SHORT = "short", "short text"
    LONG = "long", "long text"
    NUMBER = "number", "number"
    DATE = "date", "date"
    EMAIL = "email", "e-mail address"
    YESNO = "yesno", "yes or no"
    RADIO = "radio", "one of several, as buttons"
    SELECT = "select", "one of several, as a list"
    MULTIPLE = "multiple", "several of several"
    RATING = "rating", "rating grid"
    FILE = "file", "file"


LIMITS: dict[str, tuple[str, ...]] = {
    Kind.SHORT: ("max_length", "pattern", "pattern_hint"),
    Kind.LONG: ("max_length",),
    Kind.NUMBER: ("minimum", "maximum", "decimals"),
    Kind.DATE: ("earliest", "latest"),
    Kind.EMAIL: ("max_length",),
    Kind.YESNO: (),
    Kind.RADIO: (),
    Kind.SELECT: (),
    Kind.MULTIPLE: ("minimum", "maximum"),
    Kind.RATING: ("minimum", "maximum", "low_label", "high_label"),
    Kind.FILE: ("max_bytes", "accept"),
}
"""Kind → the limits of its questions; all others must be empty."""

WITH_CHOICES = (Kind.RADIO, Kind.SELECT, Kind.MULTIPLE, Kind.RATING)
"""Kinds whose choices are rows of their own; those of a rating grid are its lines."""

LONGEST_SCALE = 10  #: Steps of a rating grid.
