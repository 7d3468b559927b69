"""Which cells `--only` asks for."""

from collections.abc import Iterable

from benchsuite.core.exceptions import UsageError
from benchsuite.core.suggestions import choices
from benchsuite.core.units import listed
from benchsuite.studies.study import Selector, Study, names


def selector(given: Iterable[str]) -> Selector:
    """ "setup=sync,pool" and "delay=0" as a selector; one axis may be given several times."""
    found: dict[str, tuple[str, ...]] = {}
    for text in given:
        axis, equals, values = text.partition("=")
        wanted = [value.strip() for value in values.split(",")]
        if not equals or not axis.strip() or not all(wanted):
            raise UsageError(f"--only={text} is not of the form axis=value or axis=value,value.")
        found[axis.strip()] = (*found.get(axis.strip(), ()), *wanted)
    return found


def check(study: Study, only: Selector) -> None:
    """Raises UsageError for an axis or a value that the study lacks."""
    axes = {axis.name: names(axis.values) for axis in study.axes}
    for axis, values in only.items():
        if axis not in axes:
            raise UsageError(f"--only: {study.name} has no axis {axis!r}; {choices(axis, axes)}")
        for value in values:
            if value not in axes[axis]:
                said = choices(value, axes[axis])
                raise UsageError(
                    f"--only: the axis {axis} of {study.name} has no {value!r}; {said}"
                )


def words(only: Selector) -> str:
    """ "setup=sync,pool and delay=0" """
    return listed([f"{axis}={','.join(values)}" for axis, values in only.items()] or ["selected"])
