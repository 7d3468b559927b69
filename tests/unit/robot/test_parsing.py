"""What the robot sees of a page, and whom it holds an error against."""

from benchsuite.robot.choosing import main_form, next_button
from benchsuite.robot.forms import Form, Page
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


def errors(content: bytes) -> dict[str, tuple[str, ...]]:
    form = form_of(content)
    found = {control.name: control.errors for control in form.controls if control.errors}
    return {**found, **({"": form.errors} if form.errors else {})}


def test_errors_are_held_against_their_controls() -> None:
    assert errors(  # as_div, with aria-describedby
        b'<form method="post"><div><label for="id_a">A</label>'
        b'<ul class="errorlist" id="id_a_error"><li>Bad a.</li></ul>'
        b'<input name="a" aria-invalid="true" aria-describedby="id_a_error">'
        b'</div><div><input name="b"></div></form>'
    ) == {"a": ("Bad a.",)}
    assert errors(  # as_p: the list stands before its paragraph
        b'<form method="post"><ul class="errorlist nonfield"><li>All bad.</li></ul>'
        b'<p><input name="a"></p><ul class="errorlist"><li>Bad b.</li></ul>'
        b'<p><input name="b"></p></form>'
    ) == {"b": ("Bad b.",), "": ("All bad.",)}
    assert errors(  # crispy with Bootstrap 5
        b'<form method="post"><div id="div_id_a"><input name="a" class="is-invalid">'
        b'<span id="error_1_id_a" class="invalid-feedback"><strong>Bad a.</strong></span></div>'
        b'<div><input name="b"></div></form>'
    ) == {"a": ("Bad a.",)}
    assert errors(  # a date and a time that are one field
        b'<form method="post"><div><ul class="errorlist"><li>Enter a valid date.</li><li>Enter a '
        b'valid time.</li></ul><input name="w_0"><input name="w_1"></div><input name="z"></form>'
    ) == {"w_0": ("Enter a valid date.",), "w_1": ("Enter a valid time.",)}
    assert errors(  # a mark and no word
        b'<form method="post"><input name="a" aria-invalid="true"><input name="b"></form>'
    ) == {"a": ("is marked as wrong without a word",)}


def test_ends_and_captchas_are_seen() -> None:
    assert read(b'<output data-completion-code="7G">7G</output>').completion_code == "7G"
    assert read(b"<output data-completion-code>8H</output>").completion_code == "8H"
    assert read(b'<form><div class="h-captcha"></div></form>').captcha
    assert not read(b"<p>We ask for no captcha.</p>").captcha
