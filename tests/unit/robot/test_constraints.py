"""What errors ask for, in the words of Django, crispy and people."""

from datetime import date

import pytest

from benchsuite.robot.constraints import Constraint, constraint


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("Ensure this value has at least 3 characters (it has 1).", {"least": 3, "length": True}),
        ("Ensure this value has at most 20 characters (it has 44).", {"most": 20, "length": True}),
        ("Ensure this value is greater than or equal to 18.", {"least": 18}),
        ("Ensure this value is less than or equal to 99.", {"most": 99}),
        ("Ensure this value is a multiple of step size 5.", {"step": 5}),
        ("Ensure that there are no more than 2 decimal places.", {"decimals": 2}),
        ("Ensure that there are no more than 5 digits in total.", {"digits": 5}),
        ("Choose a number between 3 and 7.", {"least": 3, "most": 7, "kind": "number"}),
        ("Please select exactly four tags.", {"least": 4, "most": 4}),
        ("Tick 1 to 3. You ticked 5.", {"least": 1, "most": 3}),
        ("Tick at most 3. You ticked 4.", {"most": 3}),
        ("Pick two or more.", {"least": 2}),
        ("It must be more than 10.", {"above": 10}),
        ("It must be less than 10.", {"below": 10}),
        ("It must be no less than 10.", {"least": 10}),
        ("Enter a whole number.", {"kind": "integer"}),
        ("Enter a valid email address.", {"kind": "email"}),
        ("Enter a valid date.", {"kind": "date"}),
        ("Enter a valid time.", {"kind": "time"}),
        ("The date must be in the past.", {"when": "past"}),
        ("The date can not be in the future.", {"when": "past"}),
        ("The date must be in the future.", {"when": "future"}),
        ("Choose a day after 2026-03-01.", {"earliest": date(2026, 3, 1)}),
        ("A user with that username already exists.", {"fresh": True}),
        ("The two password fields didn’t match.", {"same": True}),
        ("This field is required.", {"agree": True}),
        ("Write the code like AB-1234.", {"example": "AB-1234"}),
        (
            "File extension “txt” is not allowed. Allowed extensions are: pdf, png.",
            {"extensions": ("pdf", "png")},
        ),
        ("Die PLZ hat genau 5 Ziffern.", {"least": 5, "most": 5, "length": True}),
        ("Höchstens 1.500 sind erlaubt.", {"most": 1500}),
        ("Der Wert darf höchstens 2,5 betragen.", {"most": 2.5}),
        ("Bitte wählen Sie zwei bis vier Antworten.", {"least": 2, "most": 4}),
        ("Die Zahl muss zwischen 3 und 7 liegen.", {"least": 3, "most": 7}),
        ("Das Datum darf nicht in der Zukunft liegen.", {"when": "past"}),
        ("Bitte ein Datum vor dem 1. März 2026.", {"latest": date(2026, 3, 1)}),
        ("Dieser Name ist bereits vergeben.", {"fresh": True}),
        ("Die Adressen stimmen nicht überein.", {"same": True}),
        ("Die Angaben müssen verschieden sein.", {"distinct": True}),
        ("Dieses Feld ist erforderlich.", {"agree": True}),
        ("Schreiben Sie ihn wie AB-1234.", {"example": "AB-1234"}),
        ("Vous devez avoir au moins 18 ans.", {"least": 18, "years": True}),
        ("Cette valeur doit être comprise entre 2 et 6.", {"least": 2, "most": 6}),
        ("Au maximum 1 200 caractères.", {"most": 1200, "length": True}),
        ("La note doit être supérieure à 10.", {"above": 10}),
        ("La date doit être dans le passé.", {"when": "past"}),
        ("Une date à partir du 05/04/2026.", {"earliest": date(2026, 4, 5)}),
        ("Ce pseudo est déjà utilisé.", {"fresh": True}),
        ("Les mots de passe ne correspondent pas.", {"same": True}),
        ("Les choix doivent être distincts.", {"distinct": True}),
        ("Ce champ est obligatoire.", {"agree": True}),
        ("Date au format jj/mm/aaaa.", {"example": "jj/mm/aaaa"}),
        ("No.", {}),
    ],
)
def test_an_error_says_what_it_wants(sentence: str, wanted: dict[str, object]) -> None:
    found = constraint((sentence,))
    assert {name: getattr(found, name) for name in wanted} == wanted
    for name in ("least", "most", "step", "decimals", "digits", "fresh", "same", "example"):
        if name not in wanted:
            assert getattr(found, name) == getattr(Constraint(), name), name


def test_demands_add_up_and_the_newer_one_wins() -> None:
    first = Constraint(kind="date", least=3, when="past")
    second = Constraint(least=0, when="future")
    assert first | second == Constraint(kind="date", least=0, when="future")
