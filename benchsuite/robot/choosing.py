"""Which form of a page is meant, and which of its buttons goes on."""

import re

from benchsuite.robot.forms import Button, Form, Page

BESIDE = re.compile(
    r"log-?_?out|sign-?_?out|search|change-?list|newsletter|subscribe|set-?lang|/i18n/|theme", re.I
)
"""Forms that stand on a page without being what it is about."""

ONWARDS = re.compile(
    r"\b(next|continue|submit|save|send|finish|done|start|begin|complete|weiter|senden|apply)\b",
    re.I,
)
ASIDE = re.compile(
    r"\b(back|previous|prev|cancel|delete|remove|reset|clear|later|pause|draft|another|first|"
    r"log ?out|preview|quit|exit|zurück)\b|wizard_goto",
    re.I,
)


def main_form(page: Page) -> Form | None:
    """The form that is to be filled: posts rather than asks, and holds most to fill."""
    candidates = [form for form in page.forms if not _beside(form)]
    return max(candidates, key=_weight, default=None)


def next_button(form: Form) -> Button | None:
    """The button that a person would press to go on, the first one in doubt."""
    onward = [one for one in form.buttons if not ASIDE.search(_words(one))]
    named = [one for one in onward if ONWARDS.search(_words(one))]
    return next(iter(named or onward or form.buttons), None)


def _beside(form: Form) -> bool:
    if BESIDE.search(form.identity):
        return True
    typed = [control for control in form.fillable if control.kind != "search"]
    if form.method == "get" and not typed:
        return True
    return not form.fillable and any(BESIDE.search(_words(one)) for one in form.buttons)


def _weight(form: Form) -> tuple[bool, int]:
    return form.method == "post", len(form.fillable)


def _words(button: Button) -> str:
    return f"{button.label} {button.name} {button.value}".replace("_", " ")
