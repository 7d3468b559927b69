"""A table without labels; errors in red between the question and its control."""

from datetime import date

from tests.foreign.cases import LOG_IN, SEARCH, Fields, form
from tests.foreign.rules import day, matches, never, number
from tests.foreign.site import Field, Shown


def old_php(shown: Shown) -> str:
    rows = "".join(
        f"<tr><td>{one.label}"
        + (
            f'<br><font color="red"><b>{shown.errors[one.name]}</b></font>'
            if one.name in shown.errors
            else ""
        )
        + f"</td><td>{one.control(shown.values)} <small>{one.hint}</small></td></tr>"
        for one in shown.fields
    )
    whole = f'<p><font color="red">{shown.errors.get("", "")}</font></p>'
    return f"{whole}<form><table>{rows}</table>{shown.hidden}{shown.buttons}</form>"


@form(
    "php, latin-1, meta refresh, German",
    old_php,
    "de",
    charset="iso-8859-1",
    declared="meta",
    end="refresh",
    thanks="<h1>Vielen Dank!</h1>",
)
def latin_1_meta_refresh_german() -> Fields:
    blank = "Bitte ausfüllen!"
    yield Field("vorname", "Vorname", required=blank)
    yield Field("plz", "PLZ", matches(r"\d{5}", "Die PLZ hat genau 5 Ziffern."))
    yield Field("geb", "Geburtsdatum (TT.MM.JJJJ)", day("%d.%m.%Y", "Ungültiges Datum!"))
    yield Field(
        "menge",
        "Menge",
        number(10, 20, "Bitte eine Zahl zwischen 10 und 20 eingeben."),
        required=blank,
    )
    yield Field(
        "satz",
        "Satz",
        kind="select",
        options=("größer", "kleiner"),
        rule=matches("größer|kleiner", "Unbekannte Auswahl."),
        required="Bitte wählen",
    )


@form(
    "php, windows-1252, French, log-in beside the thanks",
    old_php,
    "fr",
    charset="windows-1252",
    around=LOG_IN + SEARCH,
    thanks="<h1>Merci</h1>",
)
def windows_1252_french_log_in_beside_the_thanks() -> Fields:
    blank = "Champ obligatoire"
    yield Field("nom", "Nom", required=blank)
    yield Field(
        "age", "Votre âge", number(18, 99, "Vous devez avoir au moins 18 ans"), required=blank
    )
    yield Field(
        "date",
        "Date de départ (jj/mm/aaaa)",
        day(
            "%d/%m/%Y",
            "Date non valide",
            lambda one: one > date.today(),
            "La date doit être dans le futur",
        ),
    )
    yield Field(
        "choix",
        "Thé préféré",
        kind="radio",
        options=("thé vert", "thé noir"),
        rule=matches("thé (vert|noir)", "Choix inconnu"),
        required="Choisissez",
    )


@form("php, English, never taken", old_php, "en", fails="This voucher has run out")
def english_never_taken() -> Fields:
    yield Field("voucher", "Voucher", never("This voucher has run out."))
