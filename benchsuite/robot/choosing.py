"""Chooses the main form of a page, and its button that continues."""

import re
from collections.abc import Container

from benchsuite.robot.forms import TYPED, Button, Form, Page

BESIDE = re.compile(
    r"log-?_?out|sign-?_?out|abmelden|deconnexion|search|suche|recherche|change-?list|newsletter|"
    r"subscribe|set-?lang|/i18n/|theme|cookie|consent-banner",
    re.I,
)
"""Forms that are on a page without being its subject."""

ONWARDS = re.compile(
    r"\b(next|continue|submit|save|send|finish|done|start|begin|complete|apply|confirm|"
    r"weiter|(?:ab)?senden|speichern|abschließen|fertig|bestätigen|beginnen|anmelden|"
    r"suivante?|continuer|envoyer|valider|enregistrer|terminer|commencer|confirmer)\b",
    re.I,
)
ASIDE = re.compile(
    r"\b(back|previous|prev|cancel|delete|remove|reset|clear|later|pause|draft|another|add|first|"
    r"log ?out|preview|quit|exit|move ?prev|"
    r"zurück|vorherige\w*|abbrechen|löschen|entfernen|zurücksetzen|später|entwurf|zwischenspeichern|"
    r"hinzufügen|vorschau|retour|précédente?|annuler|supprimer|effacer|réinitialiser|plus tard|"
    r"brouillon|ajouter|aperçu|quitter)\b|wizard_goto",
    re.I,
)
RULES = frozenset(("minlength", "pattern", "passwordrules"))
"""Attributes of new passwords; one that exists follows the rules already."""


def main_form(page: Page, *, beside: Container[object] = ()) -> Form | None:
    """The form to fill: POST rather than GET, and the most controls.

    `beside` are forms (their `furniture`) that were on an earlier page without being its main one.
    """
    candidates = [form for form in page.forms if form.furniture not in beside and not _beside(form)]
    others = [form for form in candidates if not asks_who(form)]
    return max(others or candidates, key=_weight, default=None)


def asks_who(form: Form) -> bool:
    """Whether it asks for a name and a password that exist, without a rule for new ones."""
    passwords = [one for one in form.fillable if one.kind == "password"]
    others = [one for one in form.fillable if one.kind not in ("password", "checkbox")]
    if len(passwords) != 1 or any(one.kind not in TYPED for one in others):
        return False
    (password,) = passwords
    if password.limits.get("autocomplete") == "current-password":
        return True
    new = "new-password" in password.words or password.hint or RULES & password.limits.keys()
    return len(others) <= 1 and not new


def next_button(form: Form) -> Button | None:
    """The button that a person would press to continue; the first one if in doubt."""
    onward = [one for one in form.buttons if not ASIDE.search(_words(one))]
    checked = [one for one in onward if "formnovalidate" not in one.limits]
    onward = checked or onward
    named = [one for one in onward if ONWARDS.search(_words(one))]
    return next(iter(named or onward or form.buttons), None)


def goes_on(form: Form) -> bool:
    """Whether its button says that it continues."""
    button = next_button(form)
    return button is not None and ONWARDS.search(_words(button)) is not None


def _beside(form: Form) -> bool:
    if BESIDE.search(form.identity):
        return True
    typed = [control for control in form.fillable if control.kind != "search"]
    if form.method == "get" and not typed:
        return True
    if form.fillable or (form.controls and not form.buttons):
        return False
    return not any(
        not BESIDE.search(_words(one)) and not ASIDE.search(_words(one)) for one in form.buttons
    )


def _weight(form: Form) -> tuple[int, bool]:
    posts = form.method == "post"
    return len(form.fillable) + 2 * posts, posts


def _words(button: Button) -> str:
    more = (button.limits.get(name, "") for name in ("title", "aria-label"))
    return " ".join((button.label, button.name, button.value, *more)).replace("_", " ")
