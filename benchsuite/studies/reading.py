"""The studies that there are: benchsuite's own, and those of the project."""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import shown
from benchsuite.core.units import parse_seconds
from benchsuite.studies import references
from benchsuite.studies.options import Known, Reader, laid_over
from benchsuite.studies.strictly import (
    Place,
    mapping,
    number,
    one_of,
    one_or_more,
    region,
    selector,
    several,
    table,
    text,
    texts,
    whole,
)
from benchsuite.studies.strictly import Reader as ReaderOf
from benchsuite.studies.study import (
    Answer,
    Axis,
    Chart,
    Check,
    Claim,
    Figure,
    Kind,
    Objective,
    Options,
    Override,
    Published,
    Scaling,
    Study,
    Table,
    Value,
)

FOLDER = Path(__file__).parent / "files"
SUFFIX = ".toml"


def studies(extra: Sequence[Path] = ()) -> Mapping[str, Path]:
    """Name → file: the catalogue's, then those of these files and folders.

    A study is called as its file. Raises UsageError where two have one name.
    """
    paths: dict[str, Path] = {}
    for file in (one for place in (FOLDER, *extra) for one in _files(place)):
        if file.stem in paths:
            raise UsageError(
                f"Two studies are called {file.stem}, {paths[file.stem]} and {file}; rename one."
            )
        paths[file.stem] = file
    return paths


def _files(place: Path) -> Iterator[Path]:
    if not place.is_dir():
        yield place
        return
    yield from sorted(one for one in place.iterdir() if one.suffix == SUFFIX and one.is_file())


FORMAT = 1
OPTIONS = "options"


def read(path: Path, known: Known | None = None) -> Study:
    """The study of this file; raises UsageError for what is wrong in it.

    `known` are the options that `runbench` has; without them their names are not checked.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: the study can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: the study is not UTF-8; save it as text.") from error
    study = parse(text, path, known)
    references.check_today(study, Place(path.name))
    return study


def parse(text: str, path: Path, known: Known | None = None) -> Study:
    """The study of this text, which was read from that file, now or when it was executed."""
    place = Place(path.name)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _no_toml(text, place, error) from error
    study = _study(_file(known)(document, place), text, path, place)
    references.check(study, place)
    return study


def _no_toml(text: str, place: Place, error: Exception) -> UsageError:
    """What the parser refuses; it names no key of what is too long or too deep for it."""
    if isinstance(error, tomllib.TOMLDecodeError):
        return place.error(f"this is no TOML: {error}.")
    deep = isinstance(error, RecursionError)
    match = re.search(r"([\[{][^\[\]{}]*){50}" if deep else r"[0-9_]{1000}", text)
    if match:
        before = text[: match.start()].rpartition("\n")[2]
        place = place.at(before.partition("=")[0].strip(" []{") or "?")
    what = "lists in each other deeper" if deep else "a number of more digits"
    return place.error(f"it has {what} than can be read.")


def _name(value: Any, place: Place) -> str:
    """Of a study, an axis, a value: it stands in --only and in addresses."""
    name = str(text(value, place))
    if any(sign.isspace() or not sign.isprintable() or sign in ",=/" for sign in name):
        raise place.wrong(value, "a name without blanks, commas, slashes and equals signs")
    return name


def _format(value: Any, place: Place) -> int:
    if value != FORMAT or isinstance(value, bool):
        raise place.wrong(value, f"{FORMAT}, the only format that this benchsuite reads")
    return FORMAT


def _seconds(value: Any, place: Place) -> float:
    try:
        return parse_seconds(text(value, place))
    except UsageError as error:
        raise place.error(str(error)) from error


def _figure_option(name: str, value: Any, place: Place) -> str | float:
    return text(value, place) if isinstance(value, str) else number(value, place)


def _texts(value: Any, place: Place) -> tuple[str, ...]:
    return () if value == [] else tuple(texts(value, place))


def _least(value: Any, place: Place) -> int | float:
    """A time in seconds, an amount, a number of values or of starts."""
    return _seconds(value, place) if isinstance(value, str) else number(value, place)


def _file(known: Known | None) -> Any:
    """The whole format."""
    reader = Reader(known)
    options = (OPTIONS, reader)
    needs = table({}, rest=("needs", reader.limit))
    kind = one_of(*(kind.value for kind in Kind))
    value = table({}, {"like": text, "kind": kind}, options)
    figure = table(
        {"of": text},
        {"scope": one_of("window", "load"), "title": text},
        ("options", _figure_option),
    )
    published = table(
        {"file": text, "cell": mapping(text), "figures": mapping(text)},
        {"names": mapping(mapping(text)), "factor": mapping(number), "only": mapping(text)},
    )
    check = table(
        {"figure": text, "cell": selector},
        {"to": mapping(text), "to_figure": text}
        | {"ratio": region, "difference": region, "value": region},
    )
    scale = {"shorter": _texts, "faster": _texts, "thin": mapping(texts), "least": mapping(_least)}
    claim = {"name": _name, "says": text, "check": several(check)}
    best = one_of("most", "least")
    answer = {"asks": text, "choice": one_or_more}
    answered = {"only": selector, "figure": text, "best": best, "needs": needs}
    drawn: dict[str, ReaderOf] = {"only": selector, "title": text}
    return table(
        {"format": _format, "name": _name, "question": text, "axis": mapping(mapping(value))},
        {
            "repeat": whole,
            "every": table({}, rest=options),
            "scale": table({}, scale),
            "set": several(table({"when": selector}, rest=options)),
            "exclude": several(selector),
            "figures": mapping(figure),
            "objective": table({"figure": text, "best": best}),
            "published": several(published),
            "table": several(table({"rows": text, "columns": text, "figures": texts}, drawn)),
            "chart": several(table({"x": text, "y": text}, {"line": text, "small": text} | drawn)),
            "claim": several(
                table(claim, {"needs": needs, "given": mapping(region), "published": text})
            ),
            "answer": several(table(answer, answered)),
        },
    )


def _study(fields: Mapping[str, Any], text: str, path: Path, place: Place) -> Study:
    if fields["name"] != path.stem:
        raise place.at("name").wrong(fields["name"], f"what the file is called, {path.stem!r}")
    axes = place.at("axis")
    return Study(
        name=fields["name"],
        question=fields["question"],
        text=text,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        path=str(path),
        repeat=fields.get("repeat", 1),
        every=fields.get("every", {OPTIONS: {}})[OPTIONS],
        scaling=Scaling(**fields.get("scale", {})),
        axes=tuple(_axis(name, values, axes.at(name)) for name, values in fields["axis"].items()),
        overrides=tuple(Override(**one) for one in fields.get("set", ())),
        excluded=tuple(fields.get("exclude", ())),
        figures=tuple(Figure(name=name, **one) for name, one in fields.get("figures", {}).items()),
        objective=Objective(**fields["objective"]) if "objective" in fields else None,
        published=tuple(Published(**one) for one in fields.get("published", ())),
        tables=tuple(Table(**one) for one in fields.get("table", ())),
        charts=tuple(Chart(**one) for one in fields.get("chart", ())),
        claims=tuple(_claim(one) for one in fields.get("claim", ())),
        answers=tuple(Answer(**one | one.get("needs", {})) for one in fields.get("answer", ())),
    )


def _claim(fields: Mapping[str, Any]) -> Claim:
    checks = tuple(Check(**one) for one in fields["check"])
    rest = {name: value for name, value in fields.items() if name not in ("check", "needs")}
    return Claim(checks=checks, **rest, **fields.get("needs", {}))


def _axis(name: str, values: Mapping[str, Any], place: Place) -> Axis:
    _name(name, place)
    if not values:
        raise place.error("an axis needs at least one value.")
    for value in values:
        _name(value, place.at(value))
    return Axis(name, tuple(_value(value, values, place) for value in values))


def _value(name: str, values: Mapping[str, Any], place: Place) -> Value:
    kind = values[name].get("kind")
    return Value(name, _options(name, values, place, ()), Kind(kind) if kind else None)


def _options(name: str, values: Mapping[str, Any], place: Place, asked: tuple[str, ...]) -> Options:
    """Those of a value, over those of the one that it is like."""
    model = values[name].get("like")
    if model is None:
        return dict(values[name][OPTIONS])
    here = place.at(name).at("like")
    if model not in values:
        raise here.unknown(model, "value", list(values))
    if model in (*asked, name):
        raise here.error(f"{shown(model)} is like itself.")
    return laid_over(_options(model, values, place, (*asked, name)), values[name][OPTIONS])
