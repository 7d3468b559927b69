"""What the robot sees of a page, and whom it holds an error against."""

import time

from benchsuite.robot.completion import with_errors
from benchsuite.robot.forms import Form
from benchsuite.robot.parsing import read
from benchsuite.robot.words import about, main_form
from tests.golden import Golden

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


def errors(before: bytes, after: bytes) -> dict[str, tuple[str, ...]]:
    """What is said about each control of a form that came back."""
    page, back = read(before), read(after)
    sent, found = main_form(page), main_form(back)
    assert sent is not None
    assert found is not None
    form = with_errors(page, back, sent, found)
    named = {control.name: control.errors for control in form.controls if control.errors}
    return {**named, **({"": form.errors} if form.errors else {})}


def test_a_form_between_rows_has_the_controls_of_its_table() -> None:
    rows = "<tr><td>Name</td><td><input name='name'></td></tr><tr><td><button>Go</button></td></tr>"
    page = read(f"<table><form method='post'>{rows}</form></table><input name='other'>".encode())
    (form,) = page.forms
    assert [(one.name, one.label) for one in form.controls] == [("name", "Name")]
    assert [button.label for button in form.buttons] == ["Go"]
    row = "<tr><form id='{0}'><td><input name='{0}'></td></form></tr>"
    two = read(f"<table>{row.format('a')}{row.format('b')}</table>".encode()).forms
    assert [[one.name for one in form.controls] for form in two] == [["a"], ["b"]]
    empty = read(b"<div><form></form><input name='other'></div>").forms
    assert empty[0].controls == ()


def test_a_long_word_takes_no_time() -> None:
    word = b"a" * 200_000
    before = time.process_time()
    read(b"<style>" + word + b"</style>" + PAGE)
    first, again = (
        read(PAGE.replace(b'maxlength="20"', b'data-error="' + one + b'"')) for one in (b"", word)
    )
    with_errors(first, again, main_form(first), main_form(again))
    assert time.process_time() - before < 3.0


def test_a_form_about_research_or_visitors_is_no_search() -> None:
    form = '<form method="post" action="/{}/"><input name="a"><button>OK</button></form>'
    for action in ("research", "user_research", "besucherumfrage"):
        assert form_of(form.format(action).encode()).keys == {"a"}
    for action in ("search", "sitesearch", "volltextsuche"):
        assert main_form(read(form.format(action).encode())) is None


def test_controls_that_are_written_alike_have_labels_of_their_own() -> None:
    rows = "".join(f"<p>{label} <input name='phone[]'></p>" for label in ("Home", "Work"))
    form = form_of(f"<form method='post'>{rows}</form>".encode())
    assert [one.label for one in form.controls] == ["Home", "Work"]


def test_a_label_around_a_list_or_a_text_does_not_hold_it() -> None:
    inner = (
        "<label>Land <select name=a><option>Oman<option>Vatican City</select></label>"
        "<label>Why <textarea name=b>as it was</textarea></label><label>Who <input name=c></label>"
    )
    form = form_of(f"<form method=post>{inner}</form>".encode())
    assert [one.label for one in form.controls] == ["Land", "Why", "Who"]
    assert about(form.controls[0]) == "country"


def test_many_controls_without_labels_take_no_time() -> None:
    row = "<tr><td>Amount</td><td><input name='n{}'></td></tr>"
    rows = "".join(row.format(number) for number in range(300))
    before = time.process_time()
    form = form_of(f"<form method='post'><table>{rows}</table></form>".encode())
    assert {one.label for one in form.controls} == {"Amount"}
    assert time.process_time() - before < 3.0


def test_a_hidden_list_sends_all_that_is_chosen_in_it_and_nothing_else() -> None:
    inner = (
        "<select name=b multiple><option selected>1<option>2<option selected>3</select>"
        "<select name=c multiple><option>1</select><select name=d><option>1<option>2</select>"
    )
    form = form_of(f"<form method=post><input name=a><p hidden>{inner}</p></form>".encode())
    sent = [(one.name, one.value) for one in form.controls if one.kind == "hidden"]
    assert sent == [("b", "1"), ("b", "3"), ("d", "1")]


def test_underscores_within_a_name_make_no_template() -> None:
    names = ("answers__12__text", "rows__total__sum", "rows-__prefix__-text", "rows[__name__][x]")
    inner = "".join(f'<input name="{name}">' for name in names)
    form = form_of(f"<form method=post>{inner}</form>".encode())
    assert [one.kind for one in form.controls] == ["text", "text", "hidden", "hidden"]


def test_values(golden: Golden) -> None:
    golden.values()
