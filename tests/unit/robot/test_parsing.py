"""What the robot sees of a page, and whom it holds an error against."""

import time

import pytest

from benchsuite.robot.completion import with_errors
from benchsuite.robot.forms import Form, Page
from benchsuite.robot.languages import main_form, next_button
from benchsuite.robot.parsing import read

PAGE = b"""<!DOCTYPE html><title>T</title><h1>Your trip</h1>
<form id="go" method="POST" action="/next/" enctype="multipart/form-data">
  <input type="hidden" name="token" value="abc">
  <label for="n">Your name</label><input id="n" name="name" maxlength="20" required>
  <label>Age <input type="number" name="age" min="1" max="9"></label>
  <fieldset aria-describedby="h"><legend>Colours</legend><p id="h">Tick 1 to 2.</p>
    <label><input type="checkbox" name="colour" value="r"> Red</label>
    <label><input type="checkbox" name="colour" value="g" checked> Green</label></fieldset>
  <fieldset><legend>Size</legend>
    <input type="radio" name="size" value="s" id="s" required><label for="s">Small</label>
    <input type="radio" name="size" value="l" id="l"><label for="l">Large</label></fieldset>
  <select name="land"><option value="">Choose</option><optgroup label="EU"><option>France</option>
    </optgroup><optgroup label="Old" disabled><option>Gaul</option></optgroup>
    <option value="x" disabled>X</option></select>
  <textarea name="why">as it
was</textarea>
  <fieldset disabled><input name="off"></fieldset>
  <div style="display: none"><input name="trap"></div>
  <input type="unheard-of" name="odd">
  <button type="button">Help</button><button name="back" value="1">Back</button>
  <input type="submit" name="go" value="Next">
</form>
<input name="outside" form="go">"""


def form_of(content: bytes) -> Form:
    form = main_form(read(content))
    assert form is not None
    return form


def test_every_control_is_seen_with_its_limits_and_choices() -> None:
    form = form_of(PAGE)
    assert (form.method, form.action, form.enctype) == ("post", "/next/", "multipart/form-data")
    kinds = {control.name: control.kind for control in form.controls}
    assert kinds == {
        "token": "hidden",
        "name": "text",
        "age": "number",
        "colour": "checkbox",
        "size": "radio",
        "land": "select",
        "why": "textarea",
        "trap": "hidden",
        "odd": "text",
        "outside": "text",
    }
    by_name = {control.name: control for control in form.controls}
    assert by_name["name"].label == "Your name"
    assert by_name["name"].required
    assert by_name["age"].label == "Age"
    assert by_name["age"].limits["max"] == "9"
    colour = by_name["colour"]
    assert (colour.label, colour.hint, colour.many) == ("Colours", "Tick 1 to 2.", True)
    assert [(one.value, one.label, one.chosen) for one in colour.choices] == [
        ("r", "Red", False),
        ("g", "Green", True),
    ]
    assert [one.label for one in by_name["size"].choices] == ["Small", "Large"]
    assert [one.value for one in by_name["land"].choices] == ["", "France"]
    assert by_name["why"].value == "as it\nwas"
    assert [button.label for button in form.buttons] == ["Back", "Next"]
    assert read(PAGE).title == "Your trip"


def test_the_button_that_goes_on_is_pressed() -> None:
    button = next_button(form_of(PAGE))
    assert button is not None
    assert (button.name, button.value) == ("go", "Next")
    only = form_of(b'<form method="post"><button name="a" value="1">Begin</button></form>')
    assert next_button(only) is not None


def test_the_main_form_is_the_one_to_fill() -> None:
    page = read(
        b'<form role="search"><input name="q"></form>'
        b'<form method="post" action="/logout/"><button>Log out</button></form>'
        b'<form method="get"><input name="a"><input name="b"></form>'
        b'<form method="post" id="it"><input name="c"></form>'
    )
    form = main_form(page)
    assert form is not None
    assert form.identity.startswith("it")
    assert (
        main_form(read(b'<form method="post" action="/logout/"><button>Bye</button></form>'))
        is None
    )
    assert main_form(Page(title="")) is None


def errors(before: bytes, after: bytes) -> dict[str, tuple[str, ...]]:
    """What is said about each control of a form that came back."""
    page, back = read(before), read(after)
    sent, found = main_form(page), main_form(back)
    assert sent is not None
    assert found is not None
    form = with_errors(page, back, sent, found)
    named = {control.name: control.errors for control in form.controls if control.errors}
    return {**named, **({"": form.errors} if form.errors else {})}


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        (  # as_div, with aria-describedby
            '<div><label for="id_a">A</label><input name="a"></div><div><input name="b"></div>',
            '<div><label for="id_a">A</label><ul id="id_a_error"><li>Bad a.</li></ul>'
            '<input name="a" aria-invalid="true" aria-describedby="id_a_error"></div>'
            '<div><input name="b"></div>',
            {"a": ("Bad a.",)},
        ),
        (  # as_p: the list stands before its paragraph
            '<p><input name="a"></p><p><input name="b"></p>',
            '<ul><li>All bad.</li></ul><p><input name="a"></p>'
            '<ul><li>Bad b.</li></ul><p><input name="b"></p>',
            {"b": ("Bad b.",), "": ("All bad.",)},
        ),
        (  # crispy with Bootstrap 5
            '<div><input name="a"></div><div><input name="b"></div>',
            '<div><input name="a" class="is-invalid"><span><strong>Bad a.</strong></span></div>'
            '<div><input name="b"></div>',
            {"a": ("Bad a.",)},
        ),
        (  # a date and a time that are one field
            '<div><input name="w_0"><input name="w_1"></div><input name="z">',
            "<div><ul><li>Enter a valid date.</li><li>Enter a valid time.</li></ul>"
            '<input name="w_0"><input name="w_1"></div><input name="z">',
            {"w_0": ("Enter a valid date.",), "w_1": ("Enter a valid time.",)},
        ),
        (  # a mark and no word
            '<input name="a"><input name="b">',
            '<input name="a" aria-invalid="true"><input name="b">',
            {"a": ("is marked as wrong without a word",)},
        ),
        (  # words that were there and look otherwise now
            '<p class="hint">Five letters.</p><input name="a"><input name="b">',
            '<p class="red">Five letters.</p><input name="a"><input name="b">',
            {"": ("Five letters.",)},
        ),
        (  # a sentence in an attribute
            '<input name="a"><input name="b">',
            '<input name="a"><input name="b" data-error="Not this one.">',
            {"b": ("Not this one.",)},
        ),
        (  # an element that is named by aria-errormessage, far away
            '<input name="a"><input name="b"><p>Help</p>',
            '<input name="a"><input name="b" aria-errormessage="e"><p>Help</p><i id="e">Bad b.</i>',
            {"b": ("Bad b.",)},
        ),
        (  # what was there unseen
            '<div><input name="a"><i hidden>Bad a.</i></div><div><input name="b"></div>',
            '<div><input name="a"><i>Bad a.</i></div><div><input name="b"></div>',
            {"a": ("Bad a.",)},
        ),
    ],
)
def test_whatever_is_new_is_held_against_its_control(
    before: str, after: str, wanted: dict[str, tuple[str, ...]]
) -> None:
    pages = (f'<form method="post">{inner}</form>'.encode() for inner in (before, after))
    assert errors(*pages) == wanted


@pytest.mark.parametrize(
    "trap",
    [
        '<div style="position:absolute; left:-5000px"><input name="t"></div>',
        '<style>.hp { display: none }</style><p class="hp"><input name="t"></p>',
        '<p aria-hidden="true"><input name="t"></p>',
        '<input name="t" tabindex="-1" autocomplete="off">',
        '<p hidden><input name="t"></p>',
        '<input name="rows-__prefix__-t">',
        '<p style="display:none"><select name="t"><option value="">-<option>x</select></p>',
    ],
)
def test_traps_and_templates_are_sent_as_they_stand(trap: str) -> None:
    form = form_of(f'<form method="post"><input name="a">{trap}</form>'.encode())
    (hidden,) = (control for control in form.controls if control.name != "a")
    assert (hidden.kind, hidden.value) == ("hidden", "")


def test_a_box_and_its_hidden_twin_are_two_and_drawn_boxes_are_seen() -> None:
    form = form_of(
        b'<form method="post"><input type="hidden" name="a" value="0">'
        b'<input type="checkbox" name="a" id="i" value="1" style="opacity:0">'
        b'<label for="i">A</label>'
        b'<p style="display:none"><input type="checkbox" name="b"></p></form>'
    )
    assert [(one.kind, one.name) for one in form.controls] == [("hidden", "a"), ("checkbox", "a")]


def test_ends_and_captchas_are_seen() -> None:
    assert read(b'<output data-completion-code="7G">7G</output>').completion_code == "7G"
    assert read(b"<output data-completion-code>8H</output>").completion_code == "8H"
    assert read(b'<form><div class="h-captcha"></div></form>').captcha
    assert not read(b"<p>We ask for no captcha.</p>").captcha


def test_a_long_word_takes_no_time() -> None:
    word = b"a" * 200_000
    before = time.process_time()
    read(b"<style>" + word + b"</style>" + PAGE)
    first, again = (
        read(PAGE.replace(b'maxlength="20"', b'data-error="' + one + b'"')) for one in (b"", word)
    )
    with_errors(first, again, main_form(first), main_form(again))
    assert time.process_time() - before < 3.0
