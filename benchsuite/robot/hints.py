"""What a plain text field is about: by `autocomplete`, or by the words around it."""

import re
from functools import lru_cache

from benchsuite.robot.forms import Control

AUTOCOMPLETE = {
    "name": "name",
    "given-name": "first",
    "additional-name": "first",
    "family-name": "last",
    "honorific-prefix": "title",
    "nickname": "username",
    "username": "username",
    "email": "email",
    "organization": "company",
    "organization-title": "job",
    "street-address": "street",
    "address-line1": "street",
    "address-line2": "flat",
    "address-level1": "state",
    "address-level2": "city",
    "postal-code": "postcode",
    "country": "country code",
    "country-name": "country",
    "cc-name": "name",
    "cc-number": "card",
    "cc-exp": "expiry",
    "cc-exp-month": "month",
    "cc-exp-year": "year ahead",
    "cc-csc": "security code",
    "cc-type": "card type",
    "transaction-currency": "currency",
    "transaction-amount": "number",
    "language": "language",
    "bday": "date",
    "bday-day": "day",
    "bday-month": "month",
    "bday-year": "year",
    "sex": "sex",
    "tel": "phone",
    "tel-national": "phone",
    "tel-country-code": "calling code",
    "url": "url",
    "tel-area-code": "area code",
    "tel-local": "local number",
    "tel-extension": "extension",
    "one-time-code": "code",
    "photo": "url",
    "new-password": "password",
}

WORDS: tuple[tuple[str, str], ...] = (
    (r"\buuid\b|\bguid\b", "uuid"),
    (r"\biban\b", "iban"),
    (r"\b(?:bic|swift)\b", "bic"),
    (r"\bjson\b", "json"),
    (r"\bipv6\b", "ipv6"),
    (r"\bip(?:v4)?[- ]?(?:address|adresse)?\b|\badresse ip\b", "ip"),
    (r"\bmac[- ]?address\b", "mac"),
    (r"card.?(?:number|no\b)|kartennummer|num[ée]ro (?:de )?(?:la )?carte|\bccnum", "card"),
    (r"\bcv[cv]\d?\b|security code|prüfziffer|cryptogramme", "security code"),
    (r"expir(?:y|ation|es)|gültig bis", "expiry"),
    (r"\bvat\b|ust-?id|\btva\b", "vat"),
    (r"\blatitude|breitengrad", "latitude"),
    (r"\blongitude|längengrad", "longitude"),
    (r"hex.?colou?r|\bcolou?r code|farbcode", "colour"),
    (r"\bduration|\bdauer\b|\bdurée", "duration"),
    (r"given.?name|first.?name|forename|vorname|prénom|\bprenom\b", "first"),
    (r"family.?name|last.?name|surname|nachname|nom de famille", "last"),
    (r"user.?name|\bnick|login|benutzer(?:name)?|pseudo|identifiant", "username"),
    (r"e-?mail|courriel|\bmél\b", "email"),
    (r"\burl\b|website|homepage|web.?site|web.?seite|\blink\b|site internet", "url"),
    (r"slug", "slug"),
    (r"phone|mobile|\btel\b|\bfax\b|telefon|handy|rufnummer|téléphone|portable", "phone"),
    (r"zip|postal|post.?code|\bplz\b|postleitzahl|\bcp\b", "postcode"),
    (r"city|town|\bstadt\b|\bort\b|wohnort|\bville\b", "city"),
    (r"street|address|stra(?:ß|ss)e|anschrift|adresse|\brue\b", "street"),
    (r"\bstate\b|province|bundesland|kanton|\brégion\b", "state"),
    (r"country|nation\b|\bland\b|\bpays\b", "country"),
    (r"company|organi[sz]ation|employer|\bfirma|unternehmen|société|entreprise", "company"),
    (r"\bjob\b|profession|occupation|beruf|métier", "job"),
    (r"\bname\b|\bnom\b|inhaber|name\b", "name"),
)
RULES = tuple((re.compile(pattern), hint) for pattern, hint in WORDS)
DATE = re.compile(
    r"\bdate\b|birthday|\bdob\b|datum\b|geboren|geburtstag|\bn[ée]{1,2}(?:\(e\))? le\b|naissance"
)
NUMBER = re.compile(
    r"how many|how much|number of|\bcount\b|quantity|\bqty\b|amount|\bage\b|\byears?\b|how old|"
    r"anzahl|menge\b|wie ?viele?|wie alt|\balter\b|betrag|\bjahre?\b|"
    r"combien|nombre de|quantité|\bâge\b|montant|\bprice\b|\bpreis\b|\bprix\b|percent|prozent"
)
PARTS = (
    ("day", re.compile(r"(?:^|[-_.\[ (])(?:day|tag|jour|dd)(?:$|[-_.\]:) ])")),
    ("month", re.compile(r"(?:^|[-_.\[ (])(?:month|monat|mois|mm)(?:$|[-_.\]:) ])")),
    ("year", re.compile(r"(?:^|[-_.\[ (])(?:year|jahr|année|annee|yyyy)(?:$|[-_.\]:) ])")),
)


def hint(control: Control) -> str:
    """What it is about; empty if unknown."""
    for token in control.limits.get("autocomplete", "").lower().split()[::-1]:
        if token in AUTOCOMPLETE:
            return AUTOCOMPLETE[token]
    return _about(control.words.replace("_", " "))


@lru_cache(maxsize=4096)
def _about(words: str) -> str:
    return next((meant for rule, meant in RULES if rule.search(words)), "")


def part_of_date(control: Control) -> str:
    """day, month or year, for a date in three fields."""
    short = control.limits.get("maxlength", "9")
    for part, rule in PARTS:
        if rule.search(control.name.lower()) and (
            rule.search(control.label.lower()) or short in ("2", "4") or not control.label
        ):
            return part
    return ""
