"""Columns that are read by their types, and rows that say so when they can't be read.

The database keeps whatever was once written into it: by an older benchsuite, by hand, by a failing
disk. Each row is read here, as it leaves the database; what can't be read becomes empty, and the
row says why. So pages, exports and commands need no care of their own.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from typing import Any, Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils.module_loading import import_string
from django.utils.timezone import is_naive, make_aware, make_naive

from benchsuite.core.plain import Misfit, Reader, ranged, reader, wrong

KINDS: Mapping[Any, Any] = {
    models.FloatField: float,
    models.IntegerField: int,
    models.BooleanField: bool,
    models.DateTimeField: datetime,
    models.UUIDField: UUID,
    models.CharField: str,
    models.TextField: str,
}
EMPTY: Mapping[Any, Any] = {float: 0.0, int: 0, datetime: datetime.fromtimestamp(0, UTC), str: ""}
"""What stands in an unreadable row where nothing may be missing."""


class Typed(models.Field):  # type: ignore[type-arg]  # Django's takes none at run time
    """What migrations take for the field of Django's that it adds to."""

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        return name, f"django.db.models.{type(self).__bases__[-1].__name__}", args, options


class JSON(Typed, models.JSONField):
    """JSON of a type, or of that with this dotted path, imported when a row is read; `empty` is
    what stands where it can't be read; `proof` raises ValueError for more.
    """

    def __init__(
        self,
        *args: Any,
        kind: Any = Any,
        empty: Callable[[], Any] = dict,
        proof: Callable[[Any], object] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self.kind, self.empty, self.proof = kind, empty, proof

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        try:
            return super().from_db_value(value, expression, connection)
        except (RecursionError, ValueError) as error:
            return error


class Moment(Typed, models.DateTimeField):  # type: ignore[type-arg]
    """With its zone, also where a project has `USE_TZ = False`: what has no zone in the database is
    UTC, as with `USE_TZ = True`; what it tells in the zone of the connection is of TIME_ZONE.
    """

    def get_db_prep_value(self, value: Any, connection: Any, prepared: Any = False) -> Any:  # noqa: FBT002
        value = value if prepared else self.get_prep_value(value)
        if isinstance(value, datetime) and not settings.USE_TZ:
            value = make_aware(value) if is_naive(value) else value
            if not connection.features.supports_timezones:
                value = make_naive(value, UTC)
        return super().get_db_prep_value(value, connection, prepared=True)

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        if not isinstance(value, datetime):
            return value
        zone = None if connection.features.supports_timezones else UTC
        return (make_aware(value, zone) if is_naive(value) else value).astimezone(UTC)


class PartOf(Typed, models.ForeignKey):  # type: ignore[type-arg]
    """To what the row is a part of, which can't be read either when its part can't."""

    def set_cached_value(self, instance: Any, value: Any) -> None:
        """Whatever gives a part its whole comes here."""
        super().set_cached_value(instance, value)
        if instance.unreadable and value is not None:
            value.mark(instance.unreadable)


class Row(models.Model):
    """A row that is read by the types of its columns."""

    unreadable = ""  #: What can't be read of it, or of its parts as far as they were looked at.

    filled: tuple[str, ...] = ()
    """JSON that was stored with fewer fields than there are now; they get their defaults."""

    class Meta:
        abstract = True

    @classmethod
    def from_db(cls, db: str | None, field_names: Any, values: Any, **options: Any) -> Self:
        row = super().from_db(db, field_names, values, **options)
        loaded, filled = vars(row), cls.filled
        for name, (read, empty) in _columns(cls).items():
            if name in loaded:
                try:
                    value = read(loaded[name])
                    if value is not None and name in filled:
                        setattr(row, name, asdict(value))
                except Misfit as misfit:
                    setattr(row, name, empty())
                    row.mark(f"{cls._meta.verbose_name} {row.pk}, {misfit.within(name)}")
        return row

    def mark(self, why: str) -> None:
        self.unreadable = self.unreadable or why


@cache
def _columns(model: type[Row]) -> dict[str, tuple[Reader, Callable[[], Any]]]:
    return {
        field.attname: (reader_of(field), _empty(field))
        for field in model._meta.concrete_fields
        if not field.is_relation and not field.primary_key
    }


@cache
def reader_of(field: "models.Field[Any, Any]") -> Reader:
    """What makes the value that its column takes of what JSON has; raises Misfit."""
    read_one = ranged(field.name, reader(_kind(field)))
    words = [value for value, _ in field.flatchoices] if field.choices else []
    proof = field.proof if isinstance(field, JSON) else None
    if field.name.endswith("histogram"):
        from benchsuite.stats import histogram  # numpy, of which a project's commands need nothing

        proof = histogram.decode

    def read_column(value: Any) -> Any:
        if value is None and field.null:
            return None
        value_read = read_one(value)
        if value and proof:
            try:
                proof(value)
            except ValueError as error:
                raise Misfit(str(error)) from error
        if words and value_read not in words and not (value_read == "" and field.blank):
            raise wrong(f"one of {', '.join(words)}", value)
        return value_read

    return read_column


def _kind(field: "models.Field[Any, Any]") -> Any:
    if isinstance(field, JSON):
        return import_string(field.kind) if isinstance(field.kind, str) else field.kind
    return next(kind for model, kind in KINDS.items() if isinstance(field, model))


def _empty(field: "models.Field[Any, Any]") -> Callable[[], Any]:
    if field.null:
        return lambda: None
    if field.has_default():
        return field.get_default
    if field.choices:
        return lambda: field.flatchoices[-1][0]  # the most cautious
    return field.empty if isinstance(field, JSON) else lambda: EMPTY[_kind(field)]
