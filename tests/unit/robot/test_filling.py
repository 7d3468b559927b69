"""Answers are valid by every limit that a page states, whatever the seed."""

import re
from dataclasses import replace
from datetime import date, timedelta
from random import Random

import phonenumbers
import pytest

from benchsuite.robot.filling import Filler, Unfillable
from benchsuite.robot.forms import Form, main_form
from benchsuite.robot.parsing import read
from benchsuite.robot.validity import invalid
from tests.golden import Golden
from tests.needs import needs

pytestmark = needs("selectolax", "faker")

SEEDS = range(40)
TODAY = date.today()


def form_of(inner: str) -> Form:
    form = main_form(read(f'<form method="post">{inner}</form>'.encode()))
    assert form is not None
    return form


def filler(seed: int = 0, **known: str) -> Filler:
    chance = Random(seed)
    return Filler(chance.getrandbits(40), chance, known)


def answers(inner: str, name: str = "a") -> list[tuple[str, ...]]:
    """The answers to a control over many seeds."""
    form = form_of(inner)
    found = []
    for seed in SEEDS:
        one = filler(seed)
        one.fill(form)
        found.append(tuple(str(value) for value in one.answers[name]))
    return found


def test_texts_keep_to_their_limits(golden: Golden) -> None:
    golden.cases(lambda inner, shape: all(re.fullmatch(shape, one) for (one,) in answers(inner)))


VALID = [
    'type="number" min="0.1" step="0.25" max="3"',
    'type="number" min="0.2" max="0.4" step="any"',
    'type="number" value="3" step="10"',
    'type="number" max="-5" step="0.5"',
    'type="range" min="-1" max="1" step="0.125"',
    'type="date" min="2026-01-05" step="7"',
    'type="time" min="08:05" step="600"',
    'type="time" max="06:00"',
    'type="time" min="22:00" max="02:00"',
    'type="datetime-local" min="2026-03-01T08:10" max="2026-03-02T08:00" step="5400"',
    'type="month" max="2026-03"',
    'type="week" min="2026-W52" step="3"',
    'type="email" multiple',
    'type="email" pattern="[a-z]+@corp\\.example" maxlength="24"',
    'type="url" maxlength="30"',
    'type="color"',
    'type="text" minlength="40" maxlength="50"',
    'pattern="[A-Za-z]+" minlength="20" maxlength="21"',
]


@pytest.mark.parametrize("attributes", VALID)
def test_answers_are_valid_by_the_rules_of_html(attributes: str) -> None:
    inner = f'<input name="a" required {attributes}>'
    (control,) = form_of(inner).fillable
    found = answers(inner)
    assert {invalid(control, one) for (one,) in found} == {""}
    assert len(set(found)) > 1
    assert found == answers(inner)


@pytest.mark.parametrize(
    ("limits", "low", "high", "step"),
    [
        ('min="3" max="9"', 3, 9, 1),
        ('min="-5" max="-1"', -5, -1, 1),
        ('min="1" max="2" step="0.25"', 1, 2, 0.25),
        ('min="10" step="5"', 10, 110, 5),
        ('max="0"', -100, 0, 1),
        ("", 1, 101, 1),
    ],
)
def test_numbers_keep_to_their_limits(limits: str, low: int, high: int, step: float) -> None:
    found = [float(one) for (one,) in answers(f'<input type="number" name="a" {limits}>')]
    assert low <= min(found) <= max(found) <= high
    assert all((one - low) % step == 0 for one in found)
    assert len(set(found)) > 1


def test_days_keep_to_their_limits() -> None:
    soon = TODAY + timedelta(days=3)
    inner = f'<input type="date" name="a" min="{TODAY}" max="{soon}">'
    assert {one for (one,) in answers(inner)} <= {
        str(TODAY + timedelta(days=number)) for number in range(4)
    }


@pytest.mark.parametrize(
    ("error", "first", "last"),
    [
        # where time zones differ today may be over, or not there yet
        ("Must be in the past. Choose a day after {-4}.", -3, -1),
        ("No later than today. Choose a day after {-4}.", -3, -1),
        ("Must not be in the past. Choose a day before {+4}.", 1, 3),
        ("Must be in the future. Choose a day before {+4}.", 1, 3),
        ("Choose a day after {+2}. Choose a day before {+4}.", 3, 3),
        ("Within the next 3 days.", 1, 3),
        ("At least 3 days in advance. Choose a day before {+6}.", 3, 5),
        ("You must be at least 18 years old. Choose a day after {-6579}.", -6578, -6575),
    ],
)
def test_the_first_and_the_last_day_are_the_extreme_answers(error, first, last):
    asked = re.sub(r"\{(.\d+)\}", lambda at: str(TODAY + timedelta(days=int(at[1]))), error)
    days = [
        mended('<label>Day <input type="date" name="a"></label>', {"a": asked}, seed)[0].answers[
            "a"
        ]
        for seed in SEEDS
    ]
    (least,), (most,) = min(days), max(days)
    assert (least, most) == tuple(str(TODAY + timedelta(days=at)) for at in (first, last))


def test_choices_are_made_among_what_is_offered() -> None:
    options = '<option value="">Choose</option><option value="1">1</option><option>2</option>'
    assert {one for (one,) in answers(f'<select name="a">{options}</select>')} == {"1", "2"}
    radios = "".join(f'<input type="radio" name="a" value="{one}">' for one in "xyz")
    assert {one for (one,) in answers(radios)} == set("xyz")
    boxes = "".join(f'<input type="checkbox" name="a" value="{one}">' for one in "uvwxyz")
    hinted = f"<fieldset><legend>Pick two to three</legend>{boxes}</fieldset>"
    assert {len(found) for found in answers(hinted)} == {2, 3}
    assert set(answers('<label>I agree<input type="checkbox" name="a"></label>')) == {("on",)}
    assert set(answers('<label>Mail<input type="checkbox" name="a"></label>')) == {("on",), ()}
    assert set(answers('<input type="checkbox" name="a-clear"><input name="a">', "a-clear")) == {()}


COUNTRIES = "".join(f'<option value="{one}">' for one in ("CA", "DE", "GB", "NL"))
POSTCODES = {
    "CA": r"[A-Z]\d[A-Z] ?\d[A-Z]\d",
    "DE": r"\d{5}",
    "GB": r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}",
    "NL": r"\d{4} ?[A-Z]{2}",
}
NAMED = "".join(f"<option value={at}>{one}</option>" for at, one in enumerate(("Kanada", "Mexiko")))


def test_an_address_and_a_telephone_are_of_the_country_that_is_chosen() -> None:
    form = form_of(
        '<label>Postcode <input name="code"></label><label>Phone <input name="phone"></label>'
        f'<label>Country <select name="country">{COUNTRIES}</select></label>'
    )
    chosen = set()
    for seed in SEEDS:
        one = filler(seed)
        one.fill(form)
        given = {name: str(value) for name, value in one.given(form)}
        chosen.add(given["country"])
        assert re.fullmatch(POSTCODES[given["country"]], given["code"]), given
        number = phonenumbers.parse(given["phone"], given["country"])
        assert phonenumbers.is_valid_number_for_region(number, given["country"]), given
    assert chosen == set(POSTCODES)


def test_a_country_is_known_by_its_name_in_any_language() -> None:
    form = form_of(
        '<label>PLZ <input name="code"></label>'
        f'<label>Land <select name="c">{NAMED}</select></label>'
    )
    for seed in SEEDS:
        one = filler(seed)
        one.fill(form)
        pattern = {"0": POSTCODES["CA"], "1": r"\d{5}(-\d{4})?"}[str(one.answers["c"][0])]
        assert re.fullmatch(pattern, str(one.answers["code"][0]))


@pytest.mark.parametrize(
    "control",
    [
        '<input name="a" type="email">',
        '<label>User name <input name="a"></label>',
        '<label>Title <input name="a"></label>',
        '<label>Slug <input name="a" maxlength="40"></label>',
        '<textarea name="a"></textarea>',
    ],
)
def test_free_text_is_unique_among_thousands(control: str) -> None:
    form = form_of(control)
    found = set()
    for seed in range(1500):
        one = filler(seed)
        one.fill(form)
        found.add(one.answers["a"])
    assert len(found) == 1500


def mended(inner: str, errors: dict[str, str], seed: int = 0) -> tuple[Filler, dict[str, str]]:
    """A filler after errors, by name ("" for the form), and what it answered before."""
    form = form_of(inner)
    one = filler(seed)
    one.fill(form)
    before = {name: str(value) for name, value in one.given(form)}
    controls = [
        replace(control, errors=(errors[control.name],) if control.name in errors else ())
        for control in form.controls
    ]
    whole = (errors[""],) if "" in errors else ()
    back = replace(form, controls=tuple(controls), errors=whole)
    one.mend(back)
    one.fill(back)
    return one, before


@pytest.mark.parametrize(
    ("control", "error", "fits"),
    [
        ("Size", "Only sold in packs of 7.", lambda value: int(value) % 7 == 0),
        ("Wann?", "Das Datum darf nicht in der Vergangenheit liegen.", lambda v: v > str(TODAY)),
        ("Quand?", "La date ne peut pas être dans le futur.", lambda value: value < str(TODAY)),
        ("¿Cuándo?", "No antes del 05/04/2027.", lambda value: value >= "2027-04-05"),
        ("Secret", "Must contain at least 2 digits.", lambda value: len(value) > 2),
        ("Nights", "Must be a multiple of six.", lambda value: int(value) % 6 == 0),
        ("Day", "Invalid. Use dd-mm-yyyy.", lambda v: bool(re.fullmatch(r"\d\d-\d\d-\d{4}", v))),
        ("Hour", "Enter a time (HH:MM).", lambda v: bool(re.fullmatch(r"\d\d:\d\d", v))),
        ("PLZ", "Bitte eine kanadische PLZ.", lambda v: bool(re.fullmatch(POSTCODES["CA"], v))),
        ("Nights", "It must not be less than 4 or more than 6.", lambda v: int(v) in (4, 5, 6)),
        ("Code", "Darf nicht kürzer als 9 Zeichen sein.", lambda value: len(value) >= 9),
        ("Tag", "Must not be longer than 3 characters.", lambda value: 0 < len(value) <= 3),
        ("Wiek", "Musisz mieć od 18 do 120 lat.", lambda value: 18 <= int(value) <= 120),
        ("Kod", "Od 200 do 300 znaków.", lambda value: 200 <= len(value) <= 300),
        ("Nr", "Formato: PT123456789", lambda v: bool(re.fullmatch(r"PT[1-9]\d{8}", v))),
        ("Note", "Al menos 12 palabras.", lambda value: len(value.split()) >= 12),
        (
            "Start",
            "Use the format JJ-MM-AAAA.",
            lambda v: bool(re.fullmatch(r"\d\d-\d\d-\d{4}", v)),
        ),
    ],
)
def test_what_an_error_asks_for_is_given(control, error, fits):
    for seed in SEEDS:
        one, _ = mended(f'<label>{control} <input name="a"></label>', {"a": error}, seed)
        assert fits(str(one.answers["a"][0])), one.answers


def test_ranks_are_each_given_once() -> None:
    options = "".join(f"<option>{rank}</option>" for rank in range(1, 5))
    inner = "".join(f'<select name="{name}">{options}</select>' for name in "abcd")
    for seed in SEEDS:
        one, before = mended(inner, {"": "Each rank may be used only once."}, seed)
        assert {one.answers[name][0] for name in "abcd"} == set("1234")
        kept = {name for name in "abcd" if one.answers[name] == (before[name],)}
        assert len(kept) == len(set(before.values()))


def test_an_answer_follows_the_other_one_that_its_error_names() -> None:
    inner = "".join(
        f'<label>{label} <input type="date" name="{name}"></label>'
        for name, label in (("a", "Arrival"), ("b", "Booking"), ("c", "Departure"))
    )
    for seed in SEEDS:
        late, _ = mended(inner, {"c": "The departure must not be before the arrival."}, seed)
        assert str(late.answers["c"][0]) > str(late.answers["a"][0])
        early, _ = mended(inner, {"a": "Arrival must be before departure."}, seed)
        assert str(early.answers["a"][0]) < str(early.answers["c"][0])


def test_values(golden: Golden) -> None:
    golden.values(raises=Unfillable)
