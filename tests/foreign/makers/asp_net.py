"""Places for messages that are always there and name their control."""

from tests.foreign.cases import LETTER, Fields, form
from tests.foreign.rules import long, matches, number
from tests.foreign.site import Field, Shown


def asp_net(shown: Shown) -> str:
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


@form("asp.net, English, places for messages", asp_net, "en", thanks="<h1>Thanks</h1>" + LETTER)
def english_places_for_messages() -> Fields:
    yield Field(
        "Order.Quantity",
        "Quantity",
        number(3, 9, "The field Quantity must be between 3 and 9."),
        required="The Quantity field is required.",
    )
    yield Field(
        "Order.Sku",
        "SKU",
        matches("[A-Z]{3}-[0-9]{3}", "Use the format ABC-123."),
        required="The SKU field is required.",
    )
    yield Field(
        "Order.Gift",
        "Gift",
        kind="checkbox",
        options=("true",),
        attributes="required",
        rule=matches("true|false", "no"),
    )


@form(
    "asp.net, German, multipart in latin-1",
    asp_net,
    "de",
    enctype="multipart/form-data",
    charset="iso-8859-1",
    end="redirect",
    thanks="<h1>Danke</h1>",
)
def german_multipart_in_latin_1() -> Fields:
    yield Field(
        "Strasse",
        "Straße",
        long(5, 40, "Mindestens 5 Zeichen."),
        required="Straße ist erforderlich.",
    )
    yield Field(
        "Groesse",
        "Größe",
        kind="select",
        options=("groß", "für alle"),
        rule=matches("groß|für alle", "Ungültig."),
        required="Größe ist erforderlich.",
    )
    yield Field(
        "Anlage",
        "Anlage",
        kind="file",
        attributes='accept=".pdf"',
        rule=matches(r".*\.pdf", "Nur PDF."),
        required="Anlage ist erforderlich.",
    )


@form("asp.net, French, answers in turn", asp_net, "fr", thanks="<h1>Merci</h1>")
def french_answers_in_turn() -> Fields:
    yield Field("Ref", "Référence", matches(r"\d+", "Hum."), required="Requis.")
