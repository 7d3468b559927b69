"""The helper text becomes the message; choices have their native control out of sight."""

from tests.foreign.cases import Case
from tests.foreign.rules import fresh, matches
from tests.foreign.site import Field, Shown, Site


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


FORMS = (
    Case(
        "material, English, helper texts and unseen radios",
        lambda: Site(
            material,
            "en",
            (
                (
                    Field(
                        "size", "Size", kind="radio", options=("S", "M", "L"), required="Pick one"
                    ),
                    Field(
                        "start",
                        "Start",
                        kind="time",
                        attributes='min="08:15" max="11:45" step="1800"',
                        rule=matches(r"(08|09|10|11):(15|45)", "Every half hour from 8:15"),
                    ),
                    Field(
                        "nick",
                        "Nickname",
                        matches(r"\S{3,10}", "At most 10 characters, without spaces"),
                        hint="What friends say",
                        required="Tell us",
                    ),
                ),
            ),
            refusal=400,
        ),
    ),
    Case(
        "material, French, password by pattern",
        lambda: Site(
            material,
            "fr",
            (
                (
                    Field(
                        "pseudo",
                        "Pseudo",
                        fresh("Ce pseudo est déjà utilisé"),
                        required="Obligatoire",
                    ),
                    Field(
                        "mdp",
                        "Mot de passe",
                        kind="password",
                        attributes=r'pattern="^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,14}$"',
                        rule=matches(
                            r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,14}", "Entre 8 et 14 caractères"
                        ),
                        required="Obligatoire",
                    ),
                    Field(
                        "cp",
                        "Code postal",
                        matches(r"\d{5}", "Le code postal doit comporter 5 chiffres"),
                        attributes='autocomplete="shipping postal-code"',
                        required="Obligatoire",
                    ),
                ),
            ),
            thanks="<h1>Merci</h1>",
        ),
    ),
    Case(
        "material, German, pattern with Unicode",
        lambda: Site(
            material,
            "de",
            (
                (
                    Field(
                        "name",
                        "Name",
                        matches(r"[A-ZÄÖÜ][a-zäöüß]{2,}", "Nur Buchstaben"),
                        attributes=r'pattern="\p{Lu}\p{Ll}{2,9}"',
                        required="Pflichtfeld",
                    ),
                    Field(
                        "code",
                        "Code",
                        matches(r"[bcdfgh]{4}", "Ungültig"),
                        attributes='pattern="[[a-h]--[ae]]{4}"',
                        required="Pflichtfeld",
                    ),
                ),
            ),
            thanks="<h1>Danke</h1>",
        ),
    ),
)
