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
WHO = re.compile(r"log-?_? ?in\b|sign-?_? ?in\b|anmelde|einloggen|connexion|connecter", re.I)
"""Names of log-in forms."""


def main_form(page: Page, *, beside: Container[object] = ()) -> Form | None:
    """The form to fill: POST rather than GET, and the most controls.

    `beside` are forms (their `furniture`) that were on an earlier page without being its main one.
    """
    candidates = [form for form in page.forms if form.furniture not in beside and not _beside(form)]
    others = [form for form in candidates if not asks_who(form)]
    return max(others or candidates, key=_weight, default=None)


def asks_who(form: Form) -> bool:
    """Whether it is a log-in form for existing users."""
    passwords = [one for one in form.fillable if one.kind == "password"]
    typed = [one for one in form.fillable if one.kind in TYPED]
    if len(passwords) != 1 or len(typed) > 2:
        return False
    if "new-password" in passwords[0].words:
        return False
    words = (form.identity, passwords[0].words, *(_words(one) for one in form.buttons))
    return WHO.search(" ".join(words)) is not None


def next_button(form: Form) -> Button | None:
    """The button that a person would press to continue; the first one if in doubt."""
    onward = [one for one in form.buttons if not ASIDE.search(_words(one))]
    checked = [one for one in onward if "formnovalidate" not in one.limits]
    onward = checked or onward
    named = [one for one in onward if ONWARDS.search(_words(one))]
    return next(iter(named or onward or form.buttons), None)


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
