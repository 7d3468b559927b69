"""WordPress: a tip in the wrap of the control, and a box that is always there."""

from tests.foreign.cases import LETTER, MAIL, WORDS, Case
from tests.foreign.rules import empty, long, matches, never, same_as
from tests.foreign.site import Field, Shown, Site


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


FORMS = (
    Case(
        "contact form 7, English, trap",
        lambda: Site(
            contact_form_7,
            "en",
            (
                (
                    Field("your-name", "Your name", required="Please fill out this field."),
                    Field(
                        "your-email",
                        "Your email",
                        matches(MAIL, "Please enter an email address."),
                        required="Please fill out this field.",
                    ),
                    Field(
                        "phone",
                        "Phone",
                        matches(r"\+49[\d ]{6,}", "Telephone number is invalid."),
                        attributes='placeholder="+49 30 1234567"',
                    ),
                    Field(
                        "message",
                        "Message",
                        long(20, 60, "This field is too long: at most 60 characters."),
                        kind="textarea",
                    ),
                ),
            ),
            whole=empty("website"),
            thanks=LETTER + "<p>Thank you for your message. It has been sent.</p>",
        ),
    ),
    Case(
        "contact form 7, German, flashes its thanks",
        lambda: Site(
            contact_form_7,
            "de",
            (
                (
                    Field("name", "Name", required="Dieses Feld muss ausgefüllt werden."),
                    Field(
                        "mail",
                        "E-Mail",
                        matches(MAIL, "Die E-Mail-Adresse ist ungültig."),
                        required="Dieses Feld muss ausgefüllt werden.",
                    ),
                    Field(
                        "mail2",
                        "E-Mail wiederholen",
                        same_as("mail", "Die Adressen stimmen nicht überein."),
                        required="Dieses Feld muss ausgefüllt werden.",
                    ),
                ),
            ),
            whole=empty("website"),
            end="flash",
            thanks="<p>Ihre Nachricht wurde gesendet. Vielen Dank!</p>",
        ),
    ),
    Case(
        "contact form 7, French, never taken",
        lambda: Site(
            contact_form_7,
            "fr",
            ((Field("code", "Code", never("Ce code a expiré depuis longtemps.")),),),
        ),
        fails="Ce code a expiré depuis longtemps",
    ),
)
