"""A message changes the answer that it is about, and no other, wherever and however it is said."""

from random import Random

import pytest

from benchsuite.robot.completion import Reading
from benchsuite.robot.filling import Filler
from benchsuite.robot.parsing import read
from benchsuite.robot.words import main_form
from tests.needs import needs

pytestmark = needs("selectolax", "faker")

LABELS = {
    "who": "Full name",
    "mail": "E-mail",
    "home": "Phone at home",
    "work": "Phone at work",
    "seats": "Seats",
    "born": "Birthday",
    "site": "Website",
    "terms": "Colour",
}
KINDS = {"mail": "email", "home": "tel", "work": "tel", "born": "date", "site": "url"}
WRONG = "Hmm, not so."
SKINS = {
    "in its container": '<div><label for="id_{n}">{l}</label>{c}<p>{m}</p></div>',
    "in a container further up": (
        "<section><div><b>{l}</b></div><div>{c}</div><div><i>{m}</i></div></section>"
    ),
    "described": '<label>{l}{c}</label><p id="x{n}">{m}</p>',
    "in the label": "<p><label>{l} <em>{m}</em> {c}</label></p>",
}
APART = {
    "by name": '<li data-for="{n}">{m}</li>',
    "by for": '<li><label for="id_{n}">{m}</label></li>',
    "by link": '<li><a href="#id_{n}">{m}</a></li>',
    "by id": '<li id="error_1_id_{n}">{m}</li>',
    "by another id": '<li id="{n}-feedback">{m}</li>',
    "by label": "<li>{l}: {m}</li>",
    "by label within": "<li>Something about “{l}” is wrong.</li>",
}


def page(skin="in its container", wrong="", apart="", top=""):
    parts = ""
    for name, label in LABELS.items():
        described = f'aria-describedby="x{name}"' if skin == "described" else ""
        kind = KINDS.get(name, "text")
        about = f'name="{name}" id="id_{name}" {described}'
        control = f'<input {about} type="{kind}">'
        if name == "terms":
            control = f"<select {about}><option>1<option>2<option>3</select>"
        message = WRONG if name == wrong and not apart else ""
        parts += SKINS[skin].format(n=name, l=label, c=control, m=message)
        if name == wrong and apart:
            top += APART[apart].format(n=name, l=label, m=WRONG)
    inner = f"<ul>{top}</ul>{parts}<button>OK</button>"
    return read(f"<h1>F</h1><form method=post>{inner}</form>".encode())


def changed(before, after, seed):
    """The names of the answers that are others after the page came back."""
    sent = main_form(before)
    chance = Random(seed)
    filler = Filler(chance.getrandbits(40), chance, {})
    filler.fill(sent)
    given = dict(filler.answers)
    back = Reading(before, after, sent, main_form(after)).form()
    filler.mend(back)
    filler.fill(back)
    return {name for name, answer in filler.answers.items() if given[name] != answer}


@pytest.mark.parametrize("wrong", LABELS)
@pytest.mark.parametrize("skin", SKINS)
def test_a_message_beside_a_control_changes_its_answer_alone(skin, wrong):
    for seed in range(4):
        assert changed(page(skin), page(skin, wrong), seed) == {wrong}


@pytest.mark.parametrize("wrong", LABELS)
@pytest.mark.parametrize("apart", APART)
def test_a_message_that_names_a_control_changes_its_answer_alone(apart, wrong):
    for seed in range(4):
        assert changed(page(), page(wrong=wrong, apart=apart), seed) == {wrong}


def test_values(golden):
    golden.values()
