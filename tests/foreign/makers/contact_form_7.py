"""WordPress: a tip in the wrap of the control, and a box that is always there."""

from tests.foreign.cases import LETTER, MAIL, WORDS, Fields, form
from tests.foreign.rules import empty, long, matches, never, same_as
from tests.foreign.site import Field, Shown


def contact_form_7(shown: Shown) -> str:
    parts = "".join(
        f'<p><label>{one.label}<br><span class="wpcf7-form-control-wrap" data-name="{one.name}">'
        + one.control(shown.values, 'aria-invalid="true"' * (one.name in shown.errors))
        + (
            f'<span class="wpcf7-not-valid-tip" aria-hidden="true">{shown.errors[one.name]}</span>'
            if one.name in shown.errors
            else ""
        )
        + f"</span></label> <em>{one.hint}</em></p>"
        for one in shown.fields
    )
    said = shown.errors.get("") or (WORDS[shown.language][0] if shown.errors else "")
    trap = (
        '<span style="position: absolute; left: -5000px" aria-hidden="true"><label>Website'
        '<input name="website" tabindex="-1" autocomplete="off"></label></span>'
    )
    return (
        f'<form class="wpcf7-form">{parts}{trap}{shown.hidden}{shown.buttons}'
        f'<div class="wpcf7-response-output">{said}</div></form>'
    )


@form(
    "contact form 7, English, trap",
    contact_form_7,
    "en",
    whole=empty("website"),
    thanks=LETTER + "<p>Thank you for your message. It has been sent.</p>",
)
def english_trap() -> Fields:
    blank = "Please fill out this field."
    yield Field("your-name", "Your name", required=blank)
    yield Field(
        "your-email", "Your email", matches(MAIL, "Please enter an email address."), required=blank
    )
    yield Field(
        "phone",
        "Phone",
        matches(r"\+49[\d ]{6,}", "Telephone number is invalid."),
        attributes='placeholder="+49 30 1234567"',
    )
    yield Field(
        "message",
        "Message",
        long(20, 60, "This field is too long: at most 60 characters."),
        kind="textarea",
    )


@form(
    "contact form 7, German, flashes its thanks",
    contact_form_7,
    "de",
    whole=empty("website"),
    end="flash",
    thanks="<p>Ihre Nachricht wurde gesendet. Vielen Dank!</p>",
)
def german_flashes_its_thanks() -> Fields:
    blank = "Dieses Feld muss ausgefüllt werden."
    yield Field("name", "Name", required=blank)
    yield Field("mail", "E-Mail", matches(MAIL, "Die E-Mail-Adresse ist ungültig."), required=blank)
    yield Field(
        "mail2",
        "E-Mail wiederholen",
        same_as("mail", "Die Adressen stimmen nicht überein."),
        required=blank,
    )


@form(
    "contact form 7, French, never taken",
    contact_form_7,
    "fr",
    fails="Ce code a expiré depuis longtemps",
)
def french_never_taken() -> Fields:
    yield Field("code", "Code", never("Ce code a expiré depuis longtemps."))
