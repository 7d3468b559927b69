"""Well-formed values: account and card numbers with check digits, addresses."""

import json
from collections.abc import Callable
from datetime import date
from functools import cache
from random import Random
from uuid import UUID

from benchsuite.robot.people import SEED

LOCALES = {"de": "de_DE", "fr": "fr_FR"}
VAT = {"de": "DE136695976", "fr": "FR40303265045", "": "DE136695976"}
"""Example numbers from tax offices, with valid check digits."""


@cache
def ibans(language: str) -> tuple[str, ...]:
    from faker import Faker

    fake = Faker(LOCALES.get(language, "en_GB"))
    fake.seed_instance(SEED)
    return tuple(fake.iban() for _ in range(16))


@cache
def cards() -> tuple[str, ...]:
    from faker import Faker

    fake = Faker("en_US")
    fake.seed_instance(SEED)
    return tuple(fake.credit_card_number("visa16") for _ in range(16))


Make = Callable[[Random, str], str]

MAKERS: dict[str, Make] = {
    "uuid": lambda chance, language: str(UUID(int=chance.getrandbits(128), version=4)),
    "iban": lambda chance, language: chance.choice(ibans(language)),
    "bic": lambda chance, language: "DEUTDEFF",
    "json": lambda chance, language: json.dumps({"robot": chance.randrange(1000)}),
    "ip": lambda chance, language: f"192.0.2.{chance.randint(1, 254)}",
    "ipv6": lambda chance, language: f"2001:db8::{chance.randrange(1, 0xFFFF):x}",
    "mac": lambda chance, language: ":".join(f"{chance.randrange(256):02x}" for _ in range(6)),
    "card": lambda chance, language: chance.choice(cards()),
    "card type": lambda chance, language: "Visa",
    "security code": lambda chance, language: f"{chance.randint(100, 999)}",
    "expiry": lambda chance, language: (
        f"{chance.randint(1, 12):02}/{(date.today().year + chance.randint(1, 4)) % 100:02}"
    ),
    "vat": lambda chance, language: VAT.get(language, VAT[""]),
    "latitude": lambda chance, language: f"{chance.uniform(-80, 80):.5f}",
    "longitude": lambda chance, language: f"{chance.uniform(-170, 170):.5f}",
    "colour": lambda chance, language: f"#{chance.randrange(0x1000000):06x}",
    "duration": lambda chance, language: f"{chance.randint(0, 9):02}:{chance.randint(1, 59):02}:00",
    "title": lambda chance, language: chance.choice(("Dr", "Prof")),
    "flat": lambda chance, language: f"Flat {chance.randint(1, 40)}",
    "country code": lambda chance, language: {"de": "DE", "fr": "FR"}.get(language, "GB"),
    "calling code": lambda chance, language: "+1",
    "area code": lambda chance, language: "202",
    "local number": lambda chance, language: f"555{chance.randint(1000, 9999)}",
    "extension": lambda chance, language: f"{chance.randint(10, 99)}",
    "currency": lambda chance, language: "EUR",
    "language": lambda chance, language: language or "en",
    "sex": lambda chance, language: "X",
    "code": lambda chance, language: f"{chance.randrange(10**6):06}",
    "number": lambda chance, language: str(chance.randint(1, 100)),
    "year ahead": lambda chance, language: str(date.today().year + chance.randint(1, 4)),
    "day": lambda chance, language: f"{chance.randint(1, 28):02}",
    "month": lambda chance, language: f"{chance.randint(1, 12):02}",
    "year": lambda chance, language: str(chance.randint(1950, 2000)),
}
