"""All messages in a box above, by name; the controls only change their class."""

from datetime import date

from tests.foreign.cases import SEARCH, STEPS, WORDS, Case, went_on
from tests.foreign.rules import day, distinct, empty, every, iban, ip, number, ticks, uuid
from tests.foreign.site import Field, Shown, Site


def drupal(shown: Shown) -> str:
    labels = {one.name: one.label for one in shown.fields}
    items = "".join(
        f'<li class="item item--message">{f"<em>{labels[name]}</em>: " if name else ""}{words}</li>'
        for name, words in shown.errors.items()
    )
    box = (
        f'<div role="contentinfo" class="messages"><div role="alert"><h2>{WORDS[shown.language][1]}'
        f"</h2><ul>{items}</ul></div></div>"
    )
    parts = "".join(
        f'<div class="form-item"><label for="{one.id}" class="form-item__label">{one.label}</label>'
        + one.control(shown.values, 'class="error"' if one.name in shown.errors else 'class=""')
        + f'<div class="description">{one.hint}</div></div>'
        for one in shown.fields
    )
    trap = '<div class="url-textfield" style="display: none !important;"><input name="url"></div>'
    return f"{box * bool(items)}<form>{parts}{trap}{shown.hidden}{shown.buttons}</form>"


FORMS = (
    Case(
        "drupal, English, four steps' buttons",
        lambda: Site(
            drupal,
            "en",
            (
                (
                    Field(
                        "tags",
                        "Tags",
                        ticks("tags", 2, 3, "please tick between 2 and 3."),
                        kind="checkbox",
                        options=tuple("abcdef"),
                        required="this is required.",
                    ),
                    Field(
                        "from",
                        "Arrival",
                        kind="date",
                        rule=day(
                            "%Y-%m-%d",
                            "no date.",
                            lambda one: one > date.today(),
                            "must be in the future.",
                        ),
                        required="this is required.",
                    ),
                ),
                (
                    Field(
                        "ip",
                        "IP address",
                        ip("must be a valid IP address."),
                        required="this is required.",
                    ),
                    Field(
                        "token",
                        "Device id",
                        uuid("must be a valid UUID."),
                        required="this is required.",
                    ),
                ),
            ),
            whole=every(empty("url"), went_on),
            buttons=STEPS.format("Previous", "Save draft", "Next page"),
            around=SEARCH,
        ),
    ),
    Case(
        "drupal, German, 422",
        lambda: Site(
            drupal,
            "de",
            (
                (
                    Field(
                        "iban", "IBAN", iban("die IBAN ist ungültig."), required="ist erforderlich."
                    ),
                    Field("konto", "Kontoinhaber", required="ist erforderlich."),
                    Field(
                        "betrag",
                        "Betrag",
                        number(50, 1500, "muss mindestens 50 und höchstens 1.500 sein."),
                        required="ist erforderlich.",
                    ),
                ),
            ),
            refusal=422,
            whole=every(empty("url"), went_on),
            buttons=STEPS.format("Zurück", "Entwurf speichern", "Absenden"),
            thanks="<h1>Danke</h1>" + SEARCH,
        ),
    ),
    Case(
        "drupal, French, distinct",
        lambda: Site(
            drupal,
            "fr",
            (
                tuple(
                    Field(
                        f"choix_{one}",
                        f"Choix n° {one}",
                        kind="select",
                        options=tuple("abcd"),
                        required="est obligatoire.",
                    )
                    for one in range(1, 4)
                ),
            ),
            whole=every(
                went_on,
                distinct(
                    ("choix_1", "choix_2", "choix_3"), "Les trois choix doivent être distincts."
                ),
            ),
            buttons=STEPS.format("Précédent", "Enregistrer le brouillon", "Suivant"),
            thanks="<h1>Merci</h1>",
        ),
    ),
)
