"""Answers are valid by every limit that a page states, whatever the seed."""

import re
from dataclasses import replace
from datetime import date, timedelta
from random import Random

import phonenumbers
import pytest

from benchsuite.robot import texts
from benchsuite.robot.filling import Filler, Unfillable
from benchsuite.robot.parsing import read
from benchsuite.robot.validity import invalid
from benchsuite.robot.words import main_form
from tests.needs import needs

pytestmark = needs("selectolax", "faker")

SEEDS = range(40)
TODAY = date.today()
DAY_OF_MONTH = '<label>Day of month <input name="day" maxlength="2" required></label>'


def form_of(inner):
    return main_form(read(f'<form method="post">{inner}</form>'.encode()))


def filler(seed=0, **known):
    chance = Random(seed)
    return Filler(chance.getrandbits(40), chance, known)


def filled(form, seed):
    one = filler(seed)
    one.fill(form)
    return one


def answers(inner, name="a"):
    """The answers to a control over many seeds."""
    form = form_of(inner)
    return [tuple(map(str, filled(form, seed).answers[name])) for seed in SEEDS]


def test_texts_keep_to_their_limits(golden):
    golden.cases(lambda inner, shape: all(re.fullmatch(shape, one) for (one,) in answers(inner)))


def test_answers_are_valid_by_the_rules_of_html(golden):
    def valid(attributes):
        inner = f'<input name="a" required {attributes}>'
        (control,) = form_of(inner).fillable
        found = answers(inner)
        right = {invalid(control, one) for (one,) in found} == {""}
        return right and len(set(found)) > 1 and found == answers(inner)

    golden.cases(valid)


def test_numbers_keep_to_their_limits(golden):
    def kept(limits, low, high, step):
        found = [float(one) for (one,) in answers(f'<input type="number" name="a" {limits}>')]
        within = low <= min(found) <= max(found) <= high
        return within and all((one - low) % step == 0 for one in found) and len(set(found)) > 1

    golden.cases(kept)


def test_days_keep_to_their_limits():
    soon = TODAY + timedelta(days=3)
    inner = f'<input type="date" name="a" min="{TODAY}" max="{soon}">'
    assert {one for (one,) in answers(inner)} <= {
        str(TODAY + timedelta(days=number)) for number in range(4)
    }


def test_the_first_and_the_last_day_are_the_extreme_answers(golden):
    """In days from today, which may be over, or not there yet, where time zones differ."""

    def extremes(error):
        asked = re.sub(r"\{(.\d+)\}", lambda at: str(TODAY + timedelta(days=int(at[1]))), error)
        inner = '<label>Day <input type="date" name="a"></label>'
        fillers = [mended(inner, {"a": asked}, seed)[0] for seed in SEEDS]
        days = [date.fromisoformat(str(one.answers["a"][0])) - TODAY for one in fillers]
        return min(days).days, max(days).days

    golden.cases(extremes)


COUNTRIES = "".join(f'<option value="{one}">' for one in ("CA", "DE", "GB", "NL"))
POSTCODES = {
    "CA": r"[A-Z]\d[A-Z] ?\d[A-Z]\d",
    "DE": r"\d{5}",
    "GB": r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}",
    "NL": r"\d{4} ?[A-Z]{2}",
}
NAMED = "".join(f"<option value={at}>{one}</option>" for at, one in enumerate(("Kanada", "Mexiko")))


def test_an_address_and_a_telephone_are_of_the_country_that_is_chosen():
    form = form_of(
        '<label>Postcode <input name="code"></label><label>Phone <input name="phone"></label>'
        f'<label>Country <select name="country">{COUNTRIES}</select></label>'
    )
    chosen = set()
    for seed in SEEDS:
        one = filled(form, seed)
        given = {name: str(value) for name, value in one.pairs(form.fillable)}
        chosen.add(given["country"])
        assert re.fullmatch(POSTCODES[given["country"]], given["code"]), given
        number = phonenumbers.parse(given["phone"], given["country"])
        assert phonenumbers.is_valid_number_for_region(number, given["country"]), given
    assert chosen == set(POSTCODES)


def test_a_country_is_known_by_its_name_in_any_language():
    form = form_of(
        '<label>PLZ <input name="code"></label>'
        f'<label>Land <select name="c">{NAMED}</select></label>'
    )
    for seed in SEEDS:
        one = filled(form, seed)
        pattern = {"0": POSTCODES["CA"], "1": r"\d{5}(-\d{4})?"}[str(one.answers["c"][0])]
        assert re.fullmatch(pattern, str(one.answers["code"][0]))


def test_each_country_has_a_name_in_each_language():
    """Where a language refers to others in a circle, as Chinese does of Samoa, it is the code."""
    countries = texts._countries()
    languages = {language for names in countries.values() for language in names}
    named = {texts._named(region, language) for region in countries for language in languages}
    assert not [name for name in named if not name or name.startswith("*")]
    assert texts._named("WS", "zh") == "WS"
    assert texts._named("DE", "fr") == "Allemagne"


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
def test_free_text_is_unique_among_thousands(control):
    form = form_of(control)
    assert len({filled(form, seed).answers["a"] for seed in range(1500)}) == 1500


def mended(inner, errors, seed=0):
    """A filler after errors, by name ("" for the form), and what it answered before."""
    form = form_of(inner)
    one = filled(form, seed)
    before = {name: str(value) for name, value in one.pairs(form.fillable)}
    controls = [
        replace(control, errors=(errors[control.name],) if control.name in errors else ())
        for control in form.controls
    ]
    whole = (errors[""],) if "" in errors else ()
    back = replace(form, controls=tuple(controls), errors=whole)
    one.mend(back)
    one.fill(back)
    return one, before


def test_a_form_that_is_refused_again_by_words_about_nobody_has_other_answers():
    inner = "".join(f'<input type="number" name="{name}" max="9999">' for name in "ab")
    form = replace(form_of(inner), errors=("Each child needs an adult.",))
    once = filled(form, 0)
    given = [once.pairs(form.fillable)]
    for _ in range(2):
        once.mend(form)
        once.fill(form)
        given.append(once.pairs(form.fillable))
    assert given[0] == given[1], "the first time it may have been a matter of the moment"
    assert given[1] != given[2]


def test_a_day_alone_is_a_date_and_after_refusals_one_to_come():
    form = form_of('<label>Day of the party <input name="day" required></label>')
    (control,) = form.fillable
    back = replace(form, controls=(replace(control, errors=("Hum.",)),))
    filler = filled(form, 0)
    texts = []
    for _ in range(8):
        texts.append(str(filler.answers[control.key][0]))
        filler.mend(back)
        filler.fill(back)
    days = [date.fromisoformat(text) for text in texts if re.fullmatch(r"\d{4}-\d\d-\d\d", text)]
    assert min(days) < TODAY < max(days), texts
    assert all(1 <= int(text) <= 31 for (text,) in answers(DAY_OF_MONTH, "day"))


def test_what_is_not_required_is_left_empty_where_others_are_marked_and_it_was_refused():
    optional, error = "<input name=a>", {"a": "Hmm."}
    assert mended(f"<input name=b required>{optional}", error)[0].answers["a"] == ("",)
    assert mended(optional, error)[0].answers["a"] != ("",), "nobody says what is required"


@pytest.mark.parametrize("kind", ["text", "number"])
def test_the_number_of_an_invoice_is_no_length(kind: str) -> None:
    control = f'<input type="{kind}" name="a" required>'
    label = f"<label>Invoice 2024011700 (digits only) {control}</label>"
    assert all(len(one) < 200 for (one,) in answers(label))


@pytest.mark.parametrize(
    ("control", "error"),
    [
        ('<input type="tel" name="a" required>', "It must be at least 1000000000."),
        ('<label>Name <input name="a" required></label>', "Call 08001234567 or 08007654321."),
        ('<input name="a" required>', "9" * 5_000),
    ],
)
def test_a_large_number_in_an_error_is_no_length(control: str, error: str) -> None:
    filled, _ = mended(control, {"a": error})
    assert len(str(filled.answers["a"][0])) < 200


@pytest.mark.parametrize("limit", ["1e999999999", "9" * 5_000, "1e99"])
def test_a_limit_of_any_size_is_read(limit: str) -> None:
    for end in ("min", "max", "step", "value"):
        answers(f'<input type="number" name="a" {end}="{limit}">')


def test_what_an_error_asks_for_is_given(golden):
    def given(control, error, fits):
        inner = f'<label>{control} <input name="a"></label>'
        fillers = [mended(inner, {"a": error}, seed)[0] for seed in SEEDS]
        return all(fits(str(one.answers["a"][0])) for one in fillers)

    golden.cases(given)


@pytest.mark.parametrize("limits", ['type="date" max="2008-01-01"', 'type="number" step="50"'])
def test_another_number_or_day_after_a_refusal_keeps_to_the_limits(limits):
    inner = f'<input name="a" required {limits}>'
    (control,) = form_of(inner).fillable
    for seed in SEEDS:
        one, before = mended(inner, {"a": "Hmm, not so."}, seed)
        (value,) = one.answers["a"]
        assert invalid(control, str(value)) == ""
        assert value != before["a"]


def test_ranks_are_each_given_once():
    options = "".join(f"<option>{rank}</option>" for rank in range(1, 5))
    inner = "".join(f'<select name="{name}">{options}</select>' for name in "abcd")
    for seed in SEEDS:
        one, before = mended(inner, {"": "Each rank may be used only once."}, seed)
        assert {one.answers[name][0] for name in "abcd"} == set("1234")
        kept = {name for name in "abcd" if one.answers[name] == (before[name],)}
        assert len(kept) == len(set(before.values()))


def test_an_answer_follows_the_other_one_that_its_error_names():
    inner = "".join(
        f'<label>{label} <input type="date" name="{name}"></label>'
        for name, label in (("a", "Arrival"), ("b", "Booking"), ("c", "Departure"))
    )
    for seed in SEEDS:
        late, _ = mended(inner, {"c": "The departure must not be before the arrival."}, seed)
        assert str(late.answers["c"][0]) > str(late.answers["a"][0])
        early, _ = mended(inner, {"a": "Arrival must be before departure."}, seed)
        assert str(early.answers["a"][0]) < str(early.answers["c"][0])


def test_values(golden):
    golden.values(raises=Unfillable)


@pytest.mark.parametrize("pattern", ["[A-Z]{3}[0-9]{5}", "["])
def test_a_repetition_is_the_same_whatever_its_pattern(pattern):
    again = f'<input name="confirm_email" type="email" required pattern="{pattern}">'
    answers = filled(form_of(f'<input name="email" type="email" required>{again}'), 1).answers
    assert answers["email"] == answers["confirm_email"]
