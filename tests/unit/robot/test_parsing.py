"""What the robot sees of a page, and whom it holds an error against."""

import time

import pytest

from benchsuite.robot.completion import Reading
from benchsuite.robot.parsing import read
from benchsuite.robot.words import main_form

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


def form_of(content):
    return main_form(read(content))


def errors(before, after):
    """What is said about each control of a form that came back."""
    page, back = read(before), read(after)
    form = Reading(page, back, main_form(page), main_form(back)).form()
    named = {control.name: control.errors for control in form.controls if control.errors}
    return {**named, **({"": form.errors} if form.errors else {})}


def test_a_long_word_takes_no_time():
    word = b"a" * 200_000
    before = time.process_time()
    read(b"<style>" + word + b"</style>" + PAGE)
    first, again = (
        read(PAGE.replace(b'maxlength="20"', b'data-error="' + one + b'"')) for one in (b"", word)
    )
    Reading(first, again, main_form(first), main_form(again)).form()
    assert time.process_time() - before < 3.0


def test_many_controls_without_labels_take_no_time():
    row = "<tr><td>Amount</td><td><input name='n{}'></td></tr>"
    rows = "".join(row.format(number) for number in range(300))
    before = time.process_time()
    form = form_of(f"<form method='post'><table>{rows}</table></form>".encode())
    assert {one.label for one in form.controls} == {"Amount"}
    assert time.process_time() - before < 3.0


@pytest.mark.parametrize("charset", ["idna", "unicode_escape", "undefined", "hex"])
def test_any_charset_is_survived(charset: str) -> None:
    assert read(rf'<meta charset="{charset}"><h1>Hello</h1>\ud800'.encode()).title == "Hello"


def test_values(golden):
    golden.values()
