"""Which form of a page is meant, and which of its buttons goes on."""

import re
from collections.abc import Container

from benchsuite.robot.forms import TYPED, Button, Form, Page

BESIDE = re.compile(
    r"log-?_?out|sign-?_?out|abmelden|deconnexion|search|suche|recherche|change-?list|newsletter|"
    r"subscribe|set-?lang|/i18n/|theme|cookie|consent-banner",
    re.I,
)
"""Forms that stand on a page without being what it is about."""

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
"""What a form is called that asks who somebody is."""


def main_form(page: Page, *, beside: Container[object] = ()) -> Form | None:
    """The form that is to be filled: posts rather than asks, and holds most to fill.

    `beside` are forms (their `furniture`) that have stood on a page before without being it.
    """
    candidates = [form for form in page.forms if form.furniture not in beside and not _beside(form)]
    others = [form for form in candidates if not asks_who(form)]
    return max(others or candidates, key=_weight, default=None)


def asks_who(form: Form) -> bool:
    """Whether somebody who is known already is to log in."""
    passwords = [one for one in form.fillable if one.kind == "password"]
    typed = [one for one in form.fillable if one.kind in TYPED]
    if len(passwords) != 1 or len(typed) > 2:
        return False
    if "new-password" in passwords[0].words:
        return False
    words = (form.identity, passwords[0].words, *(_words(one) for one in form.buttons))
    return WHO.search(" ".join(words)) is not None


def next_button(form: Form) -> Button | None:
    """The button that a person would press to go on, the first one in doubt."""
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
