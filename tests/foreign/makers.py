"""How makers of forms draw a page and mark what is wrong on it; forms.txt has three of each."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.foreign import rules
from tests.foreign.site import Field, Shown, Site, Skin, Values

WORDS = {
    "en": ("There is a problem", "Error"),
    "de": ("Bitte prüfen Sie Ihre Angaben", "Fehler"),
    "fr": ("Il y a un problème", "Erreur"),
}
MAIL = r"[^@\s]+@[^@\s]+\.[a-z]+"
LOG_IN = (
    '<form method="post" action="/login"><label>Username<input name="user" required></label>'
    '<label>Password<input type="password" name="pass" required></label>'
    "<button>Log in</button></form>"
)
SEARCH = '<form action="/find"><input name="keys" type="search"><button>Find</button></form>'
LETTER = (
    '<form method="post" action="/list"><label>Stay in touch <input type="email" name="subscriber">'
    "</label><button>Join</button></form>"
)
STEPS = (
    '<button name="op" value="back" formnovalidate>{}</button><button type="button">?</button>'
    '<button name="op" value="draft">{}</button><button name="op" value="next">{}</button>'
)

NEXT_PAGE = None  #: Between the fields of two pages.


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[], Site]
    fails: str
    """A pattern of what must be said, where nobody could complete it."""


def went_on(value: str, data: Values) -> str:
    return "" if data.get("op") == ["next"] else "Not that button."


def form(name: str, skin: Skin, language: str, fails: str = "", **site: Any) -> Any:
    """What makes a case of lines of fields, anew for each site: some rules remember values."""

    def case(lines: list[str]) -> Case:
        def make() -> Site:
            pages: list[tuple[Field, ...]] = [()]
            for line in lines:
                field = eval(line, NAMES)
                pages = [*pages, ()] if field is NEXT_PAGE else [*pages[:-1], (*pages[-1], field)]
            return Site(skin, language, tuple(pages), **site)

        return Case(name, make, fails)

    return case


def asp_net(shown: Shown) -> str:
    """Places for messages that are always there and name their control."""
    items = "".join(f"<li>{words}</li>" for words in shown.errors.values())
    parts = ""
    for one in shown.fields:
        twin = f'<input type="hidden" name="{one.name}" value="false">' * (one.kind == "checkbox")
        parts += f'<div><label for="{one.id}">{one.label}</label>{one.control(shown.values)}</div>'
        parts += twin
    messages = "".join(
        f'<span data-valmsg-for="{one.name}">{shown.errors.get(one.name, "")}</span>'
        for one in shown.fields
    )
    hints = "".join(f"<p>{one.hint}</p>" for one in shown.fields)
    return (
        f"<form>{parts}{hints}<section>{messages}</section>"
        f'<div data-valmsg-summary="true"><ul>{items}</ul></div>'
        f"{shown.hidden}{shown.buttons}</form>"
    )


def contact_form_7(shown: Shown) -> str:
    """WordPress: a tip in the wrap of the control, and a box that is always there."""
    parts = "".join(
        f'<p><label>{one.label}<br><span class="wpcf7-form-control-wrap" data-name="{one.name}">'
        + one.control(shown.values, 'aria-invalid="true"' * (one.name in shown.errors))
        + (
            f'<span class="wpcf7-not-valid-tip" aria-hidden="true">{shown.errors[one.name]}</span>'
            if one.name in shown.errors
            else ""
        )
        + f"</span></label> <em>{one.hint}</em></p>"
        for one in shown.fields
    )
    said = shown.errors.get("") or (WORDS[shown.language][0] if shown.errors else "")
    trap = (
        '<span style="position: absolute; left: -5000px" aria-hidden="true"><label>Website'
        '<input name="website" tabindex="-1" autocomplete="off"></label></span>'
    )
    return (
        f'<form class="wpcf7-form">{parts}{trap}{shown.hidden}{shown.buttons}'
        f'<div class="wpcf7-response-output">{said}</div></form>'
    )


def drupal(shown: Shown) -> str:
    """All messages in a box above, by name; the controls only change their class."""
    labels = {one.name: one.label for one in shown.fields}
    items = "".join(
        f'<li class="item item--message">{f"<em>{labels[name]}</em>: " if name else ""}{words}</li>'
        for name, words in shown.errors.items()
    )
    box = (
        f'<div role="contentinfo" class="messages"><div role="alert"><h2>{WORDS[shown.language][1]}'
        f"</h2><ul>{items}</ul></div></div>"
    )
    parts = "".join(
        f'<div class="form-item"><label for="{one.id}" class="form-item__label">{one.label}</label>'
        + one.control(shown.values, 'class="error"' if one.name in shown.errors else 'class=""')
        + f'<div class="description">{one.hint}</div></div>'
        for one in shown.fields
    )
    trap = '<div class="url-textfield" style="display: none !important;"><input name="url"></div>'
    return f"{box * bool(items)}<form>{parts}{trap}{shown.hidden}{shown.buttons}</form>"


def flat(shown: Shown) -> str:
    """Label, control and message one after the other, with nothing around them."""
    parts = "".join(
        f'<label for="{one.id}">{one.label}</label> {one.control(shown.values)} <i>{one.hint}</i>'
        + (f"<strong>{shown.errors[one.name]}</strong>" if one.name in shown.errors else "")
        + "<br>"
        for one in shown.fields
    )
    whole = f"<b>{shown.errors.get('', '')}</b>"
    return f"<form>{whole}{parts}{shown.hidden}{shown.buttons}</form>"


def gov_uk(shown: Shown) -> str:
    """A summary of links above, and each message before its control."""
    title, error = WORDS[shown.language]
    ids = {one.name: one.id for one in shown.fields}
    links = "".join(
        f'<li><a href="#{ids.get(name, "top")}">{words}</a></li>'
        for name, words in shown.errors.items()
    )
    summary = f'<div role="alert" aria-labelledby="s"><h2 id="s">{title}</h2><ul>{links}</ul></div>'
    parts = ""
    for one in shown.fields:
        words = shown.errors.get(one.name)
        named = f"{one.id}-hint {one.id}-error" if words else f"{one.id}-hint"
        parts += (
            f'<div class="govuk-form-group"><label for="{one.id}">{one.label}</label>'
            f'<div id="{one.id}-hint">{one.hint}</div>'
            + (f'<p id="{one.id}-error"><span>{error}:</span> {words}</p>' if words else "")
            + one.control(shown.values, f'aria-describedby="{named}"')
            + "</div>"
        )
    return f"{summary * bool(links)}<form novalidate>{parts}{shown.hidden}{shown.buttons}</form>"


def lime_survey(shown: Shown) -> str:
    """Questions by number, tips below, and messages that were there all the time but unseen."""
    parts = ""
    for place, one in enumerate(shown.fields, start=1):
        words = shown.errors.get(one.name, "")
        parts += (
            f'<div class="question-container"><div>{place}. {one.label}</div>'
            f'<div style="display:{"block" if words else "none"}">{words or "!"}</div>'
            f'<div class="answer">{one.control(shown.values)}</div><div>{one.hint}</div></div>'
        )
    modal = f'<div class="modal-body">{shown.errors.get("") or WORDS[shown.language][0]}</div>'
    return f"<form>{parts}{shown.hidden}{shown.buttons}{modal * bool(shown.errors)}</form>"


def material(shown: Shown) -> str:
    """The helper text becomes the message; choices have their native control out of sight."""
    parts = ""
    for one in shown.fields:
        words = shown.errors.get(one.name, one.hint)
        wrong = ' aria-invalid="true"' if one.name in shown.errors else ' aria-invalid="false"'
        style = ' style="opacity: 0; position: absolute"' if one.options else ""
        described = f'aria-describedby="{one.id}-helper-text"'
        parts += (
            f'<div class="MuiFormControl-root"><span id="{one.id}-label">{one.label}</span>'
            f'<div role="group" aria-labelledby="{one.id}-label">'
            + one.control(
                shown.values, f'{described}{wrong}{style} aria-labelledby="{one.id}-label"'
            )
            + f'</div><p class="css-1x" id="{one.id}-helper-text">{words}</p></div>'
        )
    whole = f'<div class="css-9z">{shown.errors.get("", "")}</div>'
    return f"<form>{parts}{whole}{shown.hidden}{shown.buttons}</form>"


def old_php(shown: Shown) -> str:
    """A table without labels; errors in red between the question and its control."""
    rows = "".join(
        f"<tr><td>{one.label}"
        + (
            f'<br><font color="red"><b>{shown.errors[one.name]}</b></font>'
            if one.name in shown.errors
            else ""
        )
        + f"</td><td>{one.control(shown.values)} <small>{one.hint}</small></td></tr>"
        for one in shown.fields
    )
    whole = f'<p><font color="red">{shown.errors.get("", "")}</font></p>'
    return f"{whole}<form><table>{rows}</table>{shown.hidden}{shown.buttons}</form>"


def rails(shown: Shown) -> str:
    """A list above whose items begin with the label; wrappers around what is wrong."""
    labels = {one.name: one.label for one in shown.fields}
    items = "".join(
        f"<li>{labels.get(name, '')} {words}</li>" for name, words in shown.errors.items()
    )
    box = f'<div style="color: red"><h2>{len(shown.errors)} ⚠</h2><ul>{items}</ul></div>'
    parts = ""
    for one in shown.fields:
        twin = f'<input type="hidden" name="{one.name}" value="0">' * (one.kind == "checkbox")
        inner = f'<label for="{one.id}">{one.label}</label>{twin}{one.control(shown.values)}'
        wrong = one.name in shown.errors
        if wrong:
            inner = f'<div class="field_with_errors">{inner}</div>'
        parts += f"<div>{inner}{one.hint}</div>"
    return f"<form>{box * bool(items)}{parts}{shown.hidden}{shown.buttons}</form>"


def symfony(shown: Shown) -> str:
    """An icon and the message in the label itself, and a prototype of further rows."""
    parts = "".join(
        f'<div class="mb-3"><label for="{one.id}">{one.label}'
        + (
            f'<span class="d-block"><span class="badge">{WORDS[shown.language][1]}</span> '
            f"<span>{shown.errors[one.name]}</span></span>"
            if one.name in shown.errors
            else ""
        )
        + f"</label>{one.control(shown.values)}<div>{one.hint}</div></div>"
        for one in shown.fields
    )
    prototype = (
        '<div style="display:none"><select name="form[rows][__name__][kind]">'
        '<option></option><option value="x">x</option></select></div>'
    )
    whole = f"<div>{shown.errors.get('', '')}</div>"
    return f"<form>{whole}{parts}{prototype}{shown.hidden}{shown.buttons}</form>"


NAMES = {**vars(rules), **globals(), "timedelta": timedelta}
BLOCKS = Path(__file__).with_name("forms.txt").read_text().split("\n\n")
THIRTY = tuple(
    eval(head, NAMES)([line.strip() for line in lines])
    for head, *lines in (block.splitlines() for block in BLOCKS)
)
