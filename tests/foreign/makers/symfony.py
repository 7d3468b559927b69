"""An icon and the message in the label itself, and a prototype of further rows."""

from datetime import date, timedelta

from tests.foreign.cases import WORDS, Fields, form
from tests.foreign.rules import day, empty, json_object, long, matches, number
from tests.foreign.site import Field, Shown


def symfony(shown: Shown) -> str:
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


@form(
    "symfony, French, message in the label, prototype",
    symfony,
    "fr",
    refusal=422,
    whole=empty("form[rows][__name__][kind]"),
    thanks="<h1>Merci</h1>",
    charset="iso-8859-15",
)
def french_message_in_the_label_prototype() -> Fields:
    blank = "Cette valeur ne doit pas être vide."
    yield Field(
        "form[ville]",
        "Ville",
        long(1, 12, "Cette chaîne est trop longue. Au maximum 12 caractères."),
        required=blank,
    )
    yield Field(
        "form[ne]",
        "Né(e) le",
        day("%d/%m/%Y", "Cette date n'est pas valide (format jj/mm/aaaa)."),
        required=blank,
    )
    yield Field(
        "form[places]",
        "Places",
        number(2, 6, "Cette valeur doit être comprise entre 2 et 6."),
        required=blank,
    )


@form("symfony, German, past day by words", symfony, "de", refusal=422, thanks="<h1>Danke</h1>")
def german_past_day_by_words() -> Fields:
    blank = "Dieser Wert sollte nicht leer sein."
    yield Field(
        "form[tag]",
        "Kaufdatum",
        kind="date",
        attributes=f'max="{date.today() + timedelta(30)}"',
        rule=day(
            "%Y-%m-%d",
            "Kein Datum.",
            lambda one: one < date.today() - timedelta(5),
            f"Es muss vor dem {(date.today() - timedelta(5)):%d.%m.%Y} liegen.",
        ),
        required=blank,
    )
    yield Field("form[land]", "Land", kind="select", options=("DE", "AT", "CH"), required=blank)
    yield Field(
        "form[kg]",
        "Gewicht",
        number(1, 2.5, "Der Wert darf höchstens 2,5 betragen."),
        required=blank,
    )


@form("symfony, English, JSON", symfony, "en", refusal=422)
def english_json() -> Fields:
    yield Field(
        "form[settings]",
        "Settings",
        json_object("This value should be valid JSON."),
        kind="textarea",
        required="This value should not be blank.",
    )
    yield Field(
        "form[zip]",
        "Zip",
        matches(r"\d{5}-\d{4}", "Invalid."),
        attributes='placeholder="12345-6789"',
    )
