"""What errors ask for: negation × relation × quantity, in four languages."""

from datetime import date, timedelta
from fractions import Fraction

import pytest

from benchsuite.robot.constraints import ANY, TINY, Constraint, Range, constraint

TODAY = date.today()
ONE_DAY = timedelta(days=1)


def at(least: float, unit: str = "") -> dict[str, object]:
    return {"ranges": {unit: Range(least=Fraction(least))}}


def to(most: float, unit: str = "") -> dict[str, object]:
    return {"ranges": {unit: Range(most=Fraction(most))}}


def both(least: float, most: float, unit: str = "") -> dict[str, object]:
    return {"ranges": {unit: Range(least=Fraction(least), most=Fraction(most))}}


def above(number: int) -> dict[str, object]:
    return {"ranges": {"": Range(least=number + TINY)}}


def below(number: int) -> dict[str, object]:
    return {"ranges": {"": Range(most=number - TINY)}}


NUMBERS = [
    ("Ensure this value has at least 3 characters (it has 1).", at(3, "characters")),
    ("Ensure this value has at most 20 characters (it has 44).", to(20, "characters")),
    ("Ensure this value is greater than or equal to 18.", at(18)),
    ("Ensure this value is less than or equal to 99.", to(99)),
    ("Ensure that there are no more than 2 decimal places.", to(2, "decimals")),
    ("Choose a number between 3 and 7.", both(3, 7)),
    ("Please select exactly four tags.", both(4, 4)),
    ("Tick 1 to 3. You ticked 5.", both(1, 3)),
    ("Tick at most 3. You ticked 4.", to(3)),
    ("Pick two or more.", at(2)),
    ("Pick one or more.", at(1)),
    ("It must be more than 10.", above(10)),
    ("It must be no less than 10.", at(10)),
    ("It cannot be lower than 3 or higher than 10.", both(3, 10)),
    ("Must not be empty and have at least 3 letters.", at(3, "characters")),
    ("Must not be shorter than 3 characters.", at(3, "characters")),
    ("Username must be 3-20 characters.", both(3, 20, "characters")),
    ("is too short (minimum is 8 characters)", at(8, "characters")),
    ("12 is greater than the maximum of 10", to(10)),
    ("The value is greater than 5.", to(5)),
    ("Please choose no fewer than two and no more than four options.", both(2, 4)),
    ("You must be 18 or older.", at(18, "years")),
    ("Enter a 5-digit code.", both(5, 5, "digits")),
    ("Die PLZ hat genau 5 Ziffern.", both(5, 5, "digits")),
    ("Höchstens 1.500 sind erlaubt.", to(1500)),
    ("Der Wert darf höchstens 2,5 betragen.", to(2.5)),
    ("Der Wert darf 100 nicht überschreiten.", to(100)),
    ("Bitte nicht weniger als 4 wählen.", at(4)),
    ("Muss kleiner oder gleich 7 sein.", to(7)),
    ("Bitte wählen Sie zwei bis vier Antworten.", both(2, 4)),
    ("Nicht kürzer als 3 und nicht länger als 8 Zeichen.", both(3, 8, "characters")),
    ("Du musst 18 Jahre oder älter sein.", at(18, "years")),
    ("Vous devez avoir au moins 18 ans.", at(18, "years")),
    ("Cette valeur doit être comprise entre 2 et 6.", both(2, 6)),
    ("Au maximum 1 200 caractères.", to(1200, "characters")),
    ("La note doit être supérieure à 10.", above(10)),
    ("Ne doit pas dépasser 100.", to(100)),
    ("Pas plus de 5.", to(5)),
    ("Doit être inférieur ou égal à 5.", to(5)),
    ("Como máximo 5 opciones.", to(5)),
    ("No menos de 10.", at(10)),
    ("Menos de 10.", below(10)),
    ("No puede ser mayor que 10.", to(10)),
    ("Debe ser mayor o igual que 5.", at(5)),
    ("No debe tener más de 5 caracteres.", to(5, "characters")),
    ("mínimo 3, máximo 9", both(3, 9)),
]
STEPS = [
    ("Ensure this value is a multiple of step size 5.", 5),
    ("Only sold in packs of 5.", 5),
    ("Boxes of 12, please.", 12),
    ("Only multiples of 0.25.", 0.25),
    ("Nur in 5er-Packungen.", 5),
    ("Die Menge muss durch 4 teilbar sein.", 4),
    ("Vendu par lots de 6.", 6),
    ("Se vende en paquetes de 12.", 12),
    ("Debe ser un múltiplo de 3.", 3),
]
DAYS = [
    ("The date must be in the past.", None, TODAY - ONE_DAY),
    ("The date can not be in the future.", None, TODAY),
    ("The date must be in the future.", TODAY + ONE_DAY, None),
    ("The date must not be in the past.", TODAY, None),
    ("The date is in the past.", TODAY, None),
    ("No later than today.", None, TODAY),
    ("Choose a day after 2026-03-01.", date(2026, 3, 2), None),
    ("Must be on or after 2027-03-01.", date(2027, 3, 1), None),
    ("Not before 05/04/2027.", date(2027, 4, 5), None),
    ("Between 2026-03-01 and 2026-04-01.", date(2026, 3, 1), date(2026, 4, 1)),
    ("Bitte ein Datum vor dem 1. März 2026.", None, date(2026, 2, 28)),
    ("Frühestens am 01.03.2027.", date(2027, 3, 1), None),
    ("Das Datum darf nicht in der Zukunft liegen.", None, TODAY),
    ("Das Datum darf nicht vor heute liegen.", TODAY, None),
    ("Das Datum liegt in der Vergangenheit.", TODAY, None),
    ("La date doit être dans le passé.", None, TODAY - ONE_DAY),
    ("La date ne peut pas être dans le futur.", None, TODAY),
    ("La date ne doit pas être antérieure à aujourd'hui.", TODAY, None),
    ("Une date à partir du 05/04/2026.", date(2026, 4, 5), None),
    ("Pas avant le 1er mars 2027.", date(2027, 3, 1), None),
    ("La fecha no puede estar en el pasado.", TODAY, None),
    ("La fecha no debe ser posterior a hoy.", None, TODAY),
    ("No antes del 1 de marzo de 2027.", date(2027, 3, 1), None),
]


@pytest.mark.parametrize(("sentence", "wanted"), NUMBERS)
def test_numbers_and_counts_are_bounded(sentence: str, wanted: dict[str, object]) -> None:
    assert constraint((sentence,)) == Constraint(**{"kind": constraint((sentence,)).kind, **wanted})


@pytest.mark.parametrize(("sentence", "step"), STEPS)
def test_packs_and_multiples_are_steps(sentence: str, step: float) -> None:
    assert constraint((sentence,)) == Constraint(step=Fraction(step))


@pytest.mark.parametrize(("sentence", "earliest", "latest"), DAYS)
def test_days_are_bounded(sentence: str, earliest: date | None, latest: date | None) -> None:
    read = constraint((sentence,))
    assert list(read.ranges) == ["date"]
    low, high = read.of("date").whole
    assert (low, high) == (earliest.toordinal() if earliest else 0, latest and latest.toordinal())


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("Enter a whole number.", {"kind": "integer"}),
        ("Enter a valid email address.", {"kind": "email"}),
        ("Enter a valid date.", {"kind": "date"}),
        ("Enter a valid time.", {"kind": "time"}),
        ("Introduzca una fecha válida.", {"kind": "date"}),
        ("Ungültige Telefonnummer.", {"kind": "phone"}),
        ("A user with that username already exists.", {"says": {"fresh"}}),
        ("Dieser Name ist bereits vergeben.", {"says": {"fresh"}}),
        ("Ese nombre ya existe.", {"says": {"fresh"}}),
        ("The two password fields didn’t match.", {"says": {"same"}}),
        ("Die Adressen stimmen nicht überein.", {"says": {"same"}}),
        ("Les mots de passe ne correspondent pas.", {"says": {"same"}}),
        ("Die Angaben müssen verschieden sein.", {"says": {"distinct"}}),
        ("Les choix doivent être distincts.", {"says": {"distinct"}}),
        ("Each rank may be used only once.", {"says": {"distinct"}}),
        ("The end must not be before the start.", {"says": {"later"}}),
        ("The start must be before the end.", {"says": {"earlier"}}),
        ("La fin doit être postérieure au début.", {"says": {"later"}}),
        ("Das Ende darf nicht vor dem Anfang liegen.", {"says": {"later"}}),
        ("La fecha de fin debe ser posterior a la de inicio.", {"kind": "date", "says": {"later"}}),
        ("Maximum must be greater than minimum.", {"says": {"later"}}),
        ("Write the code like AB-1234.", {"example": "AB-1234"}),
        ("Schreiben Sie ihn wie AB-1234.", {"example": "AB-1234"}),
        ("Date au format jj/mm/aaaa.", {"example": "jj/mm/aaaa"}),
        (
            "File extension “txt” is not allowed. Allowed extensions are: pdf, png.",
            {"extensions": ("pdf", "png")},
        ),
        ("Nur PDF.", {"extensions": ("pdf",)}),
        ("No.", {}),
        ("This field is required.", {}),
        ("You typed 44.", {}),
    ],
)
def test_an_error_says_what_it_wants(sentence: str, wanted: dict[str, object]) -> None:
    assert constraint((sentence,)) == Constraint(**wanted)  # type: ignore[arg-type]


def test_demands_add_up_and_the_newer_one_wins() -> None:
    first = constraint(("At least 3.", "At most 9.", "The date must be in the past."))
    second = constraint(("It must be more than 0.",))
    added = first | second
    assert added.of("") == Range(least=TINY, most=Fraction(9))
    assert added.of("date") == first.of("date") != ANY
