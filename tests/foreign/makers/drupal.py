"""All messages in a box above, by name; the controls only change their class."""

from datetime import date

from tests.foreign.cases import NEXT_PAGE, SEARCH, STEPS, WORDS, Fields, form, went_on
from tests.foreign.rules import day, distinct, empty, every, iban, ip, number, ticks, uuid
from tests.foreign.site import Field, Shown


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


@form(
    "drupal, English, four steps' buttons",
    drupal,
    "en",
    whole=every(empty("url"), went_on),
    buttons=STEPS.format("Previous", "Save draft", "Next page"),
    around=SEARCH,
)
def english_four_steps_buttons() -> Fields:
    blank = "this is required."
    yield Field(
        "tags",
        "Tags",
        ticks("tags", 2, 3, "please tick between 2 and 3."),
        kind="checkbox",
        options=tuple("abcdef"),
        required=blank,
    )
    yield Field(
        "from",
        "Arrival",
        kind="date",
        rule=day("%Y-%m-%d", "no date.", lambda one: one > date.today(), "must be in the future."),
        required=blank,
    )
    yield NEXT_PAGE
    yield Field("ip", "IP address", ip("must be a valid IP address."), required=blank)
    yield Field("token", "Device id", uuid("must be a valid UUID."), required=blank)


@form(
    "drupal, German, 422",
    drupal,
    "de",
    refusal=422,
    whole=every(empty("url"), went_on),
    buttons=STEPS.format("Zurück", "Entwurf speichern", "Absenden"),
    thanks="<h1>Danke</h1>" + SEARCH,
)
def german_422() -> Fields:
    blank = "ist erforderlich."
    yield Field("iban", "IBAN", iban("die IBAN ist ungültig."), required=blank)
    yield Field("konto", "Kontoinhaber", required=blank)
    yield Field(
        "betrag",
        "Betrag",
        number(50, 1500, "muss mindestens 50 und höchstens 1.500 sein."),
        required=blank,
    )


@form(
    "drupal, French, distinct",
    drupal,
    "fr",
    whole=every(
        went_on,
        distinct(("choix_1", "choix_2", "choix_3"), "Les trois choix doivent être distincts."),
    ),
    buttons=STEPS.format("Précédent", "Enregistrer le brouillon", "Suivant"),
    thanks="<h1>Merci</h1>",
)
def french_distinct() -> Fields:
    for one in range(1, 4):
        yield Field(
            f"choix_{one}",
            f"Choix n° {one}",
            kind="select",
            options=tuple("abcd"),
            required="est obligatoire.",
        )
