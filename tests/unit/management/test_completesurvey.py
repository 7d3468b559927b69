"""What the command counts apart, and its exit status."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from benchsuite.robot import confirmation
from tests.foreign.fates import REFUSED, TAKEN, UNCONFIRMED, Visitor
from tests.needs import needs

pytestmark = needs("selectolax", "faker")


@pytest.mark.parametrize(
    ("make", "options", "status", "last", "why"),
    [
        (TAKEN["Polish"], [], 0, "2 of 2 completed", ""),
        (
            UNCONFIRMED["the form, empty"],
            [],
            3,
            "0 of 2 completed, 2 ended without confirmation",
            "the form came back",
        ),
        (UNCONFIRMED["the form, empty"], ["--done=saved."], 0, "2 of 2 completed", ""),
        (UNCONFIRMED["the home page"], ["--done-url=/about/"], 0, "2 of 2 completed", ""),
        (
            TAKEN["Polish"],
            ["--done-url=/thanks/*"],
            3,
            "0 of 2 completed, 2 ended without confirmation",
            "lacks the text or address",
        ),
        (REFUSED["an error"], [], 1, "0 of 2 completed", "answered 500"),
    ],
)
def test_only_what_has_evidence_counts(make, options, status, last, why, monkeypatch):
    host = make()

    monkeypatch.setattr(confirmation, "BlockingClient", lambda *url, timeout_s: Visitor(host))
    out, err = StringIO(), StringIO()
    code = 0
    try:
        call_command(
            "completesurvey", "http://127.0.0.1:9/", "--count=2", *options, stdout=out, stderr=err
        )
    except CommandError as error:
        code = error.returncode
    assert (code, out.getvalue().splitlines()[-1]) == (status, last)
    assert why in err.getvalue()
