"""A table without labels; errors in red between the question and its control."""

from datetime import date

from tests.foreign.cases import LOG_IN, SEARCH, Case
from tests.foreign.rules import day, matches, never, number
from tests.foreign.site import Field, Shown, Site


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


FORMS = (
    Case(
        "php, latin-1, meta refresh, German",
        lambda: Site(
            old_php,
            "de",
            (
                (
                    Field("vorname", "Vorname", required="Bitte ausfüllen!"),
                    Field("plz", "PLZ", matches(r"\d{5}", "Die PLZ hat genau 5 Ziffern.")),
                    Field("geb", "Geburtsdatum (TT.MM.JJJJ)", day("%d.%m.%Y", "Ungültiges Datum!")),
                    Field(
                        "menge",
                        "Menge",
                        number(10, 20, "Bitte eine Zahl zwischen 10 und 20 eingeben."),
                        required="Bitte ausfüllen!",
                    ),
                    Field(
                        "satz",
                        "Satz",
                        kind="select",
                        options=("größer", "kleiner"),
                        rule=matches("größer|kleiner", "Unbekannte Auswahl."),
                        required="Bitte wählen",
                    ),
                ),
            ),
            charset="iso-8859-1",
            declared="meta",
            end="refresh",
            thanks="<h1>Vielen Dank!</h1>",
        ),
    ),
    Case(
        "php, windows-1252, French, log-in beside the thanks",
        lambda: Site(
            old_php,
            "fr",
            (
                (
                    Field("nom", "Nom", required="Champ obligatoire"),
                    Field(
                        "age",
                        "Votre âge",
                        number(18, 99, "Vous devez avoir au moins 18 ans"),
                        required="Champ obligatoire",
                    ),
                    Field(
                        "date",
                        "Date de départ (jj/mm/aaaa)",
                        day(
                            "%d/%m/%Y",
                            "Date non valide",
                            lambda one: one > date.today(),
                            "La date doit être dans le futur",
                        ),
                    ),
                    Field(
                        "choix",
                        "Thé préféré",
                        kind="radio",
                        options=("thé vert", "thé noir"),
                        rule=matches("thé (vert|noir)", "Choix inconnu"),
                        required="Choisissez",
                    ),
                ),
            ),
            charset="windows-1252",
            around=LOG_IN + SEARCH,
            thanks="<h1>Merci</h1>",
        ),
    ),
    Case(
        "php, English, never taken",
        lambda: Site(
            old_php,
            "en",
            ((Field("voucher", "Voucher", never("This voucher has run out.")),),),
        ),
        fails="This voucher has run out",
    ),
)
