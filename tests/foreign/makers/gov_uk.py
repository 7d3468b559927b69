"""A summary of links above, and each message before its control."""

from datetime import date

from tests.foreign.cases import NEXT_PAGE, SEARCH, WORDS, Fields, form
from tests.foreign.rules import day, matches, never, number
from tests.foreign.site import Field, Shown


def gov_uk(shown: Shown) -> str:
    title, error = WORDS[shown.language]
    ids = {one.name: one.id for one in shown.fields}
    links = "".join(
        f'<li><a href="#{ids.get(name, "top")}">{words}</a></li>'
        for name, words in shown.errors.items()
    )
    summary = f'<div role="alert" aria-labelledby="s"><h2 id="s">{title}</h2><ul>{links}</ul></div>'
    parts = ""
    for one in shown.fields:
        words = shown.errors.get(one.name)
        named = f"{one.id}-hint {one.id}-error" if words else f"{one.id}-hint"
        parts += (
            f'<div class="govuk-form-group"><label for="{one.id}">{one.label}</label>'
            f'<div id="{one.id}-hint">{one.hint}</div>'
            + (f'<p id="{one.id}-error"><span>{error}:</span> {words}</p>' if words else "")
            + one.control(shown.values, f'aria-describedby="{named}"')
            + "</div>"
        )
    return f"{summary * bool(links)}<form novalidate>{parts}{shown.hidden}{shown.buttons}</form>"


@form(
    "gov.uk, English, a date in three parts",
    gov_uk,
    "en",
    refusal=400,
    around=SEARCH,
    thanks="<h1>Application complete</h1>" + SEARCH,
)
def english_a_date_in_three_parts() -> Fields:
    yield Field(
        "dob-day",
        "Day",
        number(1, 28, "Date of birth must be a real date"),
        attributes='inputmode="numeric"',
        required="Date of birth must include a day",
    )
    yield Field(
        "dob-month",
        "Month",
        number(1, 12, "Date of birth must be a real date"),
        attributes='inputmode="numeric"',
        required="Date of birth must include a month",
    )
    yield Field(
        "dob-year",
        "Year",
        number(1900, 2008, "Date of birth must be in the past"),
        attributes='inputmode="numeric"',
        required="Date of birth must include a year",
    )
    yield NEXT_PAGE
    yield Field(
        "nino",
        "National Insurance number",
        hint="For example, QQ 12 34 56 C",
        rule=matches(
            r"[A-Z]{2} \d\d \d\d \d\d [A-Z]",
            "Enter a National Insurance number in the correct format",
        ),
        required="Enter a National Insurance number",
    )


@form("gov.uk, French, words alone in the summary", gov_uk, "fr", thanks="<h1>Merci</h1>")
def french_words_alone_in_the_summary() -> Fields:
    yield Field(
        "pages",
        "Pages",
        number(100, 200, "Le nombre doit être supérieur ou égal à 100"),
        required="Indiquez le nombre de pages",
        attributes='inputmode="numeric"',
    )
    yield Field(
        "fin",
        "Date de fin",
        kind="date",
        rule=day(
            "%Y-%m-%d",
            "Date non valide",
            lambda one: one < date.today(),
            "La date doit être dans le passé",
        ),
        required="Indiquez une date",
    )


@form(
    "gov.uk, German, never taken, and says so",
    gov_uk,
    "de",
    fails="Dieses Aktenzeichen kennen wir nicht",
)
def german_never_taken_and_says_so() -> Fields:
    yield Field("az", "Aktenzeichen", never("Dieses Aktenzeichen kennen wir nicht"))
