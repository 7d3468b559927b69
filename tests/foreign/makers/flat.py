"""Label, control and message one after the other, with nothing around them."""

from tests.foreign.cases import Case
from tests.foreign.rules import matches, number
from tests.foreign.site import Field, Shown, Site


def flat(shown: Shown) -> str:
    parts = "".join(
        f'<label for="{one.id}">{one.label}</label> {one.control(shown.values)} <i>{one.hint}</i>'
        + (f"<strong>{shown.errors[one.name]}</strong>" if one.name in shown.errors else "")
        + "<br>"
        for one in shown.fields
    )
    whole = f"<b>{shown.errors.get('', '')}</b>"
    return f"<form>{whole}{parts}{shown.hidden}{shown.buttons}</form>"


FORMS = (
    Case(
        "flat, English, a range and a moment",
        lambda: Site(
            flat,
            "en",
            (
                (
                    Field(
                        "level",
                        "Level",
                        kind="range",
                        attributes='min="1" max="2" step="0.1"',
                        rule=number(1, 2, "no"),
                    ),
                    Field(
                        "at",
                        "At",
                        kind="datetime-local",
                        attributes='min="2026-03-01T08:00" max="2026-03-05T12:00" step="900"',
                        rule=matches(
                            r"2026-03-0\dT\d\d:(00|15|30|45)(:00)?", "A quarter of an hour."
                        ),
                    ),
                    Field(
                        "who",
                        "Reference",
                        matches(r"[A-Z]{2}\d{4}", "Something like AB1234, please."),
                        required="needed",
                    ),
                    Field(
                        "words",
                        "Motto",
                        lambda value, data: (
                            "" if len(value.split()) >= 12 else "At least 12 words."
                        ),
                        kind="textarea",
                        required="needed",
                    ),
                ),
            ),
        ),
    ),
    Case(
        "flat, German, a confirmation that speaks of errors",
        lambda: Site(
            flat,
            "de",
            ((Field("a", "Ort", required="Bitte ausfüllen"),),),
            thanks="<h1>Keine Fehler</h1><p>Nichts ist abgelaufen oder wurde abgelehnt.</p>",
        ),
    ),
    Case(
        "flat, French, a day before another",
        lambda: Site(
            flat,
            "fr",
            (
                (
                    Field("debut", "Début", kind="date", required="Obligatoire"),
                    Field(
                        "fin",
                        "Fin",
                        kind="date",
                        required="Obligatoire",
                        rule=lambda value, data: (
                            ""
                            if value > data["debut"][-1]
                            else "La fin doit être postérieure au début"
                        ),
                    ),
                ),
            ),
            thanks="<h1>Merci</h1>",
        ),
    ),
)
