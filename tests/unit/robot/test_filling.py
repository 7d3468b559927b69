"""Answers are valid by every limit that a page states, whatever the seed."""

import re
from datetime import date, timedelta
from random import Random

import pytest

from benchsuite.robot.choosing import main_form
from benchsuite.robot.encoding import Upload
from benchsuite.robot.filling import Filler, Unfillable
from benchsuite.robot.forms import Form
from benchsuite.robot.parsing import read
from benchsuite.robot.people import person
from tests.needs import needs

pytestmark = needs("selectolax", "faker")

SEEDS = range(40)


def form_of(inner: str) -> Form:
    form = main_form(read(f'<form method="post">{inner}</form>'.encode()))
    assert form is not None
    return form


def filler(seed: int = 0, **known: str) -> Filler:
    chance = Random(seed)
    return Filler(person(chance), chance, known)


def answers(inner: str, name: str = "a") -> list[tuple[str, ...]]:
    """The answers to a control over many seeds."""
    form = form_of(inner)
    found = []
    for seed in SEEDS:
        one = filler(seed)
        one.fill(form)
        found.append(tuple(str(value) for value in one.answers[name]))
    return found


@pytest.mark.parametrize(
    ("control", "pattern"),
    [
        ('<input name="a" type="email" maxlength="40">', r".{1,34}@example\.org"),
        ('<input name="a" type="url">', r"https://\S+"),
        ('<input name="a" type="tel">', r"\+[\d ]+"),
        ('<input name="a" type="color">', r"#[0-9a-f]{6}"),
        ('<input name="a" type="time" min="08:00" max="09:30">', r"0(8:[0-5]\d|9:[0-3]\d)"),
        ('<input name="a" type="month">', r"\d{4}-(0[1-9]|1[0-2])"),
        ('<input name="a" type="week">', r"\d{4}-W[0-5]\d"),
        ('<input name="a" type="datetime-local">', r"\d{4}-\d\d-\d\dT\d\d:\d\d"),
        ('<input name="a" pattern="[A-Z]{2}[0-9]{4}">', r"[A-Z]{2}[0-9]{4}"),
        ('<input name="a" pattern="[a-z]+" minlength="4" maxlength="6">', r"[a-z]{4,6}"),
        ('<input name="a" minlength="300" maxlength="320">', r"(?s).{300,320}"),
        ('<input name="a" maxlength="3">', r".{1,3}"),
        ('<input name="a" type="password" maxlength="12">', r".{12}"),
        ('<label>How many?<input name="a"></label>', r"\d+"),
        ('<label>Birthday<input name="a"></label>', r"(19|20)\d\d-\d\d-\d\d"),
        ('<input name="a" readonly value="kept">', "kept"),
        ('<label>Leave this blank<input name="a"></label>', ""),
        ('<textarea name="a" maxlength="50"></textarea>', r"(?s).{5,50}"),
        ('<input name="a" placeholder="DD/MM/YYYY">', r"[0-3]\d/[01]\d/\d{4}"),
        ('<input name="a" placeholder="12345-6789">', r"\d{5}-\d{4}"),
        ('<input name="a" type="tel" placeholder="+49 30 123456">', r"\+49 \d\d \d{6}"),
        ('<input name="a" placeholder="###-##">', r"\d{3}-\d\d"),
        ('<input name="a" autocomplete="shipping postal-code">', r"\d{5}"),
        ('<input name="a" autocomplete="billing cc-number">', r"\d{16}"),
        ('<input name="a" autocomplete="cc-exp">', r"(0[1-9]|1[0-2])/\d\d"),
        ('<input name="a" autocomplete="bday-month">', r"0[1-9]|1[0-2]"),
        ('<label>IBAN<input name="a"></label>', r"[A-Z]{2}\d\d[A-Z0-9]{11,30}"),
        ('<label>IP address<input name="a"></label>', r"192\.0\.2\.\d+"),
        ('<label>UUID<input name="a"></label>', r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
        ('<label>Config (JSON)<textarea name="a"></textarea></label>', r'\{"robot": \d+\}'),
        ('<label>Geburtsdatum (TT.MM.JJJJ)<input name="a"></label>', r"\d\d\.\d\d\.\d{4}"),
        ('<input type="time" name="a" min="10:10" max="10:40" step="900">', r"10:(10|25|40)"),
        (
            '<input type="time" name="a" min="10:00" max="10:01" step="15">',
            r"10:0[01]:(00|15|30|45)",
        ),
        ('<input type="month" name="a" min="2026-01" max="2026-12" step="6">', r"2026-0[17]"),
        ('<input type="week" name="a" min="2026-W10" max="2026-W14" step="2">', r"2026-W1[024]"),
        ('<input type="email" name="a" pattern=".+@example\\.org">', r".+@example\.org"),
        ('<input name="a" pattern="\\p{Lu}\\p{Ll}+" maxlength="9">', r"[^\W\d_a-z]\w{1,8}"),
        ('<input name="a" pattern="[[a-f]--[ae]]{3}">', r"[bcdf]{3}"),
        ('<input name="a" pattern="^(?=.*\\d)(?=.*[A-Z]).{8,12}$">', r"(?=.*\d)(?=.*[A-Z]).{8,12}"),
    ],
)
def test_texts_keep_to_their_limits(control: str, pattern: str) -> None:
    for (found,) in answers(control):
        assert re.fullmatch(pattern, found), found


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
    today = date.today()
    soon = today + timedelta(days=3)
    inner = f'<input type="date" name="a" min="{today}" max="{soon}">'
    assert {one for (one,) in answers(inner)} <= {
        str(today + timedelta(days=number)) for number in range(4)
    }


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


def test_what_is_confirmed_is_the_same() -> None:
    inner = (
        '<input type="email" name="a"><label>Repeat<input type="email" name="b"></label>'
        '<input type="password" name="p"><input type="password" name="q">'
    )
    one = filler()
    one.fill(form_of(inner))
    assert one.answers["a"] == one.answers["b"]
    assert one.answers["p"] == one.answers["q"]


@pytest.mark.parametrize(
    ("accept", "name", "begin"),
    [
        ("", ".txt", b"robot,"),
        (".pdf,.doc", ".pdf", b"%PDF-"),
        ("image/*", ".png", b"\x89PNG"),
        ("image/png", ".png", b"\x89PNG"),
    ],
)
def test_files_are_of_the_type_that_is_accepted(accept: str, name: str, begin: bytes) -> None:
    one = filler()
    one.fill(form_of(f'<input type="file" name="a" accept="{accept}" required>'))
    (found,) = one.answers["a"]
    assert isinstance(found, Upload)
    assert found.name.endswith(name)
    assert found.content.startswith(begin)


@pytest.mark.parametrize(
    ("control", "words"),
    [
        ('<input name="a" pattern="[" required>', "a can't be filled: its pattern"),
        ('<input name="a" type="number" min="5" max="4" required>', "no number from 5 to 4"),
        ('<input name="a" type="date" min="2020-02-02" max="2020-01-01" required>', "no day from"),
        ('<input name="a" minlength="9" maxlength="3" required>', "at least 9 and at most 3"),
        ('<select name="a" required><option value="">-</option></select>', "nothing to choose"),
        ('<input type="file" name="a" accept=".exe" required>', r"types \(.exe\)"),
    ],
)
def test_what_cannot_be_filled_is_said(control: str, words: str) -> None:
    with pytest.raises(Unfillable, match=words):
        filler().fill(form_of(control))
    optional = form_of(control.replace("required", ""))
    one = filler()
    one.fill(optional)
    assert [str(value) for value in one.answers["a"] if str(value)] in ([], [" (0 bytes)"])


def test_known_answers_are_given_and_hidden_ones_sent_back() -> None:
    form = form_of('<input type="hidden" name="t" value="7"><input name="user">')
    one = filler(user="boss")
    one.fill(form)
    assert one.pairs(form, None) == [("t", "7"), ("user", "boss")]
    assert one.given(form) == (("user", "boss"),)
