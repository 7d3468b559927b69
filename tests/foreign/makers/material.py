"""The helper text becomes the message; choices have their native control out of sight."""

from tests.foreign.cases import Fields, form
from tests.foreign.rules import fresh, matches
from tests.foreign.site import Field, Shown


def material(shown: Shown) -> str:
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


@form("material, English, helper texts and unseen radios", material, "en", refusal=400)
def english_helper_texts_and_unseen_radios() -> Fields:
    yield Field("size", "Size", kind="radio", options=("S", "M", "L"), required="Pick one")
    yield Field(
        "start",
        "Start",
        kind="time",
        attributes='min="08:15" max="11:45" step="1800"',
        rule=matches(r"(08|09|10|11):(15|45)", "Every half hour from 8:15"),
    )
    yield Field(
        "nick",
        "Nickname",
        matches(r"\S{3,10}", "At most 10 characters, without spaces"),
        hint="What friends say",
        required="Tell us",
    )


@form("material, French, password by pattern", material, "fr", thanks="<h1>Merci</h1>")
def french_password_by_pattern() -> Fields:
    blank = "Obligatoire"
    yield Field("pseudo", "Pseudo", fresh("Ce pseudo est déjà utilisé"), required=blank)
    yield Field(
        "mdp",
        "Mot de passe",
        kind="password",
        attributes=r'pattern="^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,14}$"',
        rule=matches(r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,14}", "Entre 8 et 14 caractères"),
        required=blank,
    )
    yield Field(
        "cp",
        "Code postal",
        matches(r"\d{5}", "Le code postal doit comporter 5 chiffres"),
        attributes='autocomplete="shipping postal-code"',
        required=blank,
    )


@form("material, German, pattern with Unicode", material, "de", thanks="<h1>Danke</h1>")
def german_pattern_with_unicode() -> Fields:
    blank = "Pflichtfeld"
    yield Field(
        "name",
        "Name",
        matches(r"[A-ZÄÖÜ][a-zäöüß]{2,}", "Nur Buchstaben"),
        attributes=r'pattern="\p{Lu}\p{Ll}{2,9}"',
        required=blank,
    )
    yield Field(
        "code",
        "Code",
        matches(r"[bcdfgh]{4}", "Ungültig"),
        attributes='pattern="[[a-h]--[ae]]{4}"',
        required=blank,
    )
