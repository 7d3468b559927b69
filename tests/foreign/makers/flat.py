"""Label, control and message one after the other, with nothing around them."""

from tests.foreign.cases import Fields, form
from tests.foreign.rules import matches, number
from tests.foreign.site import Field, Shown


def flat(shown: Shown) -> str:
    parts = "".join(
        f'<label for="{one.id}">{one.label}</label> {one.control(shown.values)} <i>{one.hint}</i>'
        + (f"<strong>{shown.errors[one.name]}</strong>" if one.name in shown.errors else "")
        + "<br>"
        for one in shown.fields
    )
    whole = f"<b>{shown.errors.get('', '')}</b>"
    return f"<form>{whole}{parts}{shown.hidden}{shown.buttons}</form>"


@form("flat, English, a range and a moment", flat, "en")
def english_a_range_and_a_moment() -> Fields:
    yield Field(
        "level",
        "Level",
        kind="range",
        attributes='min="1" max="2" step="0.1"',
        rule=number(1, 2, "no"),
    )
    yield Field(
        "at",
        "At",
        kind="datetime-local",
        attributes='min="2026-03-01T08:00" max="2026-03-05T12:00" step="900"',
        rule=matches(r"2026-03-0\dT\d\d:(00|15|30|45)(:00)?", "A quarter of an hour."),
    )
    yield Field(
        "who",
        "Reference",
        matches(r"[A-Z]{2}\d{4}", "Something like AB1234, please."),
        required="needed",
    )
    yield Field(
        "words",
        "Motto",
        lambda value, data: "" if len(value.split()) >= 12 else "At least 12 words.",
        kind="textarea",
        required="needed",
    )


@form(
    "flat, German, a confirmation that speaks of errors",
    flat,
    "de",
    thanks="<h1>Keine Fehler</h1><p>Nichts ist abgelaufen oder wurde abgelehnt.</p>",
)
def german_a_confirmation_that_speaks_of_errors() -> Fields:
    yield Field("a", "Ort", required="Bitte ausfüllen")


@form("flat, French, a day before another", flat, "fr", thanks="<h1>Merci</h1>")
def french_a_day_before_another() -> Fields:
    blank = "Obligatoire"
    yield Field("debut", "Début", kind="date", required=blank)
    yield Field(
        "fin",
        "Fin",
        kind="date",
        required=blank,
        rule=lambda value, data: (
            "" if value > data["debut"][-1] else "La fin doit être postérieure au début"
        ),
    )
