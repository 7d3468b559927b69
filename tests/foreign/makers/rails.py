"""A list above whose items begin with the label; wrappers around what is wrong."""

from tests.foreign.cases import LOG_IN, MAIL, Fields, form
from tests.foreign.rules import card, distinct, every, fresh, long, matches, same_as
from tests.foreign.site import Field, Shown


def rails(shown: Shown) -> str:
    labels = {one.name: one.label for one in shown.fields}
    items = "".join(
        f"<li>{labels.get(name, '')} {words}</li>" for name, words in shown.errors.items()
    )
    box = f'<div style="color: red"><h2>{len(shown.errors)} ⚠</h2><ul>{items}</ul></div>'
    parts = ""
    for one in shown.fields:
        twin = f'<input type="hidden" name="{one.name}" value="0">' * (one.kind == "checkbox")
        inner = f'<label for="{one.id}">{one.label}</label>{twin}{one.control(shown.values)}'
        wrong = one.name in shown.errors
        if wrong:
            inner = f'<div class="field_with_errors">{inner}</div>'
        parts += f"<div>{inner}{one.hint}</div>"
    return f"<form>{box * bool(items)}{parts}{shown.hidden}{shown.buttons}</form>"


@form(
    "rails, English, 422, twin of a box",
    rails,
    "en",
    refusal=422,
    end="redirect",
    thanks=LOG_IN + "<h1>Welcome! Your account was created.</h1>",
)
def english_422_twin_of_a_box() -> Fields:
    blank = "can't be blank"
    yield Field(
        "user[first_name]",
        "First name",
        long(2, 30, "is too long (maximum is 30 characters)"),
        required=blank,
    )
    yield Field(
        "user[email]",
        "Email",
        every(matches(MAIL, "is invalid"), fresh("has already been taken")),
        required=blank,
    )
    yield Field(
        "user[password]",
        "Password",
        long(12, 20, "is too short (minimum is 12 characters)"),
        kind="password",
        required=blank,
    )
    yield Field(
        "user[password_confirmation]",
        "Password confirmation",
        kind="password",
        rule=same_as("user[password]", "doesn't match Password"),
    )
    yield Field(
        "user[terms]",
        "Terms",
        matches("1", "must be accepted"),
        kind="checkbox",
        options=("1",),
        required="must be accepted",
    )


@form(
    "rails, German, rows",
    rails,
    "de",
    refusal=422,
    whole=distinct(
        tuple(f"gast[{row}][name]" for row in range(3)), "Namen sind nicht verschieden."
    ),
    thanks="<h1>Danke</h1>",
)
def german_rows() -> Fields:
    for row in range(3):
        yield Field(
            f"gast[{row}][name]", f"Name von Gast {row + 1}", required="muss ausgefüllt werden"
        )
        yield Field(
            f"gast[{row}][mail]", f"E-Mail von Gast {row + 1}", matches(MAIL, "ist nicht gültig")
        )


@form("rails, French, card", rails, "fr", refusal=422, thanks="<h1>Merci</h1>")
def french_card() -> Fields:
    blank = "doit être rempli(e)"
    yield Field(
        "p[carte]",
        "Numéro de carte",
        card("n'est pas valide"),
        attributes='autocomplete="cc-number"',
        required=blank,
    )
    yield Field(
        "p[exp]",
        "Expiration",
        matches(r"(0[1-9]|1[0-2])/\d\d", "n'est pas valide"),
        attributes='autocomplete="cc-exp" placeholder="MM/AA"',
        required=blank,
    )
    yield Field(
        "p[cvc]",
        "CVC",
        matches(r"\d{3}", "n'est pas valide"),
        attributes='autocomplete="cc-csc"',
        required=blank,
    )
