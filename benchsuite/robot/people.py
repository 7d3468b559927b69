"""Made-up people with their words and places, by Faker."""

from dataclasses import dataclass
from functools import cache
from random import Random

HOW_MANY = 64
SEED = 20140601
"""Always the same people, so that only a completion's seed decides who fills the form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    first: str
    last: str
    street: str
    city: str
    state: str
    postcode: str
    country: str
    phone: str
    company: str
    job: str
    sentence: str
    paragraph: str


@cache
def people() -> tuple[Person, ...]:
    """Made once a process: Faker takes half a millisecond for a name, longer than a page."""
    from faker import Faker

    fake = Faker("en_US")
    fake.seed_instance(SEED)
    return tuple(
        Person(
            first=fake.first_name(),
            last=fake.last_name(),
            street=fake.street_address(),
            city=fake.city(),
            state=fake.state(),
            postcode=fake.postcode(),
            country=fake.country(),
            phone=f"+1 202 555 {fake.random_number(4, fix_len=True)}",
            company=fake.company(),
            job=fake.job(),
            sentence=fake.sentence(nb_words=8),
            paragraph=fake.paragraph(nb_sentences=3),
        )
        for _ in range(HOW_MANY)
    )


def person(chance: Random) -> Person:
    return chance.choice(people())
