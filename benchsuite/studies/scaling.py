"""What `--scale` makes of a study: shorter times, faster ramps, fewer values and starts."""

import math
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.units import parse_seconds
from benchsuite.studies.study import Options, Selector, Study, names

REPEAT = "repeat"  #: Among what `scale.least` limits: the number of starts.


def check(scale: float) -> None:
    if not 0 < scale <= 1:
        raise UsageError(f"--scale must be above 0 and at most 1, and is {scale:g}.")


def repeats(study: Study, scale: float) -> int:
    """Starts of each cell; as many as the study says, where it names no least."""
    least = study.scaling.least.get(REPEAT)
    return study.repeat if least is None else _fewer(study.repeat, scale, least)


def kept(study: Study, scale: float) -> Selector:
    """Of the axes that are thinned, the values that are kept."""
    thin, least = study.scaling.thin, study.scaling.least
    return {
        axis: order[: _fewer(len(names(study.axis(axis).values)), scale, least.get(axis, 1))]
        for axis, order in thin.items()
    }


def _fewer(all_of_them: int, scale: float, least: float) -> int:
    return min(all_of_them, max(math.ceil(least), math.ceil(all_of_them * scale)))


def scaled(study: Study, options: Options, scale: float) -> dict[str, Any]:
    """The options of a cell at that scale."""
    scaling, found = study.scaling, dict(options)
    if scale == 1:
        return found
    for name in scaling.shorter:
        if name in found:
            found[name] = _shorter(found[name], scale, scaling.least.get(name, 0))
    for name in scaling.faster:
        if isinstance(found.get(name), int | float):
            found[name] = float(f"{found[name] / scale:.4g}")
    return found


def _shorter(given: Any, scale: float, least: float) -> Any:
    """A time, which is a text, or an amount, such as messages; never longer than it was."""
    if isinstance(given, str):
        seconds = parse_seconds(given)
        return f"{min(seconds, max(seconds * scale, least)):.4g}s"
    if isinstance(given, int):
        return min(given, max(round(given * scale), math.ceil(least), 1))
    return given
