"""Questions by number, tips below, and messages that were there all the time but unseen."""

from datetime import date

from tests.foreign.cases import NEXT_PAGE, STEPS, WORDS, Fields, form, went_on
from tests.foreign.rules import day, matches, number, ticks
from tests.foreign.site import Field, Shown


def lime_survey(shown: Shown) -> str:
    parts = ""
    for place, one in enumerate(shown.fields, start=1):
        words = shown.errors.get(one.name, "")
        parts += (
            f'<div class="question-container"><div>{place}. {one.label}</div>'
            f'<div style="display:{"block" if words else "none"}">{words or "!"}</div>'
            f'<div class="answer">{one.control(shown.values)}</div><div>{one.hint}</div></div>'
        )
    modal = f'<div class="modal-body">{shown.errors.get("") or WORDS[shown.language][0]}</div>'
    return f"<form>{parts}{shown.hidden}{shown.buttons}{modal * bool(shown.errors)}</form>"


@form(
    "limesurvey, German, pages, hidden words",
    lime_survey,
    "de",
    whole=went_on,
    buttons=STEPS.format("Zurück", "Zwischenspeichern", "Weiter"),
    thanks="<p>Vielen Dank für die Teilnahme.</p>",
)
def german_pages_hidden_words() -> Fields:
    blank = "Diese Frage muss beantwortet werden."
    yield Field(
        "1X1X1",
        "Wie alt sind Sie?",
        number(16, 99, "Die Zahl muss mindestens 16 sein."),
        required=blank,
    )
    yield Field(
        "1X1X2",
        "Welche nutzen Sie?",
        ticks("1X1X2", 1, 2, "Bitte wählen Sie höchstens zwei Antworten."),
        kind="checkbox",
        options=tuple("ABCDEF"),
        required=blank,
    )
    yield NEXT_PAGE
    yield Field(
        "1X2X1",
        "Seit wann?",
        day(
            "%Y-%m-%d",
            "Bitte ein gültiges Datum angeben.",
            lambda one: one < date.today(),
            "Das Datum darf nicht in der Zukunft liegen.",
        ),
        kind="date",
    )


@form("limesurvey, English, kept by GET", lime_survey, "en", method="get")
def english_kept_by_get() -> Fields:
    yield Field(
        "q1", "How many hours a week?", number(1, 60, "At most 60."), required="Please answer."
    )
    yield Field(
        "q2",
        "Which week?",
        kind="week",
        attributes='min="2026-W10" max="2026-W40" step="2"',
        rule=matches("2026-W[1-4][02468]", "Even weeks only."),
    )


@form(
    "limesurvey, French, cleared on refusal",
    lime_survey,
    "fr",
    keeps=False,
    thanks="<p>Merci de votre participation.</p>",
)
def french_cleared_on_refusal() -> Fields:
    blank = "Veuillez répondre"
    yield Field(
        "a",
        "Votre note",
        number(11, 20, "Elle doit être supérieure à 10 et ne pas dépasser 20"),
        required=blank,
    )
    yield Field(
        "b", "Durée", matches(r"\d\d:\d\d:\d\d", "Durée au format hh:mm:ss"), required=blank
    )
