"""Pages that say something else with the right status: B201 by their looks, and B214."""

import re

import pytest

from benchsuite.core.results import Level
from tests.sabotage.runs import findings, message, only, told
from tests.sabotage.sick.members import CHANGING


@pytest.mark.alone
@pytest.mark.parametrize(
    ("path", "asked", "kind", "words"),
    [
        (
            "/ousting/",
            {},
            "wrong body",
            "password field present (was absent), way to log out absent (was present)",
        ),
        ("/logged-out/", {}, "wrong body", "log-in or log-out page present (was absent)"),
        ("/mixing/", {}, "wrong body", "title 'Account of bert' (was 'Account of anna')"),
        ("/emptied/", {}, "wrong body", 'JSON that begins {"error" (was that begins {"rows")'),
        (
            "/leading-away/",
            {"status": "302"},
            "redirected to log-in",
            "redirect to /accounts/login/ (was to /made/",
        ),
    ],
)
def test_b201_another_page_with_the_right_status(lab, path, asked, kind, words):
    result = lab.run(path=path, expect="", asked=asked, warmup_s=1.5, duration_s=1.5)
    (finding,) = findings(result, "B201")
    assert finding.level is Level.INVALID, told(result)
    assert f"× {kind}" in finding.message
    examples = " ".join(result.total.failure_examples.values())
    said = r"the answer differs from the \d\d rehearsed ones: "
    assert re.search(re.escape(f"{path}: ") + said + re.escape(words), examples), examples


def test_b214_what_may_change_is_no_failure_and_told(lab):
    paths = [f"/changing/{kind}/" for kind in CHANGING]
    answers = {"status": "/changing/nothing/=204"}
    result = lab.run(path=",".join(paths), expect="", asked=answers, duration_s=3.0)
    assert findings(result, "B201") == [], told(result)
    finding = only(result, "B214", Level.INFO)
    for path in paths:
        said = rf"{path} was compared with \d+ rehearsed answers: content type"
        assert re.search(said, finding.message), finding.message
    assert "way to log out present; not its title and length, which varied." in finding.message
    assert "Another user's page or a stale one may have counted as right." in finding.message


def test_b214_pages_that_need_not_look_alike(lab):
    result = lab.run(path="/ousting/", expect="", asked={"shape": False}, duration_s=1.5)
    assert findings(result, "B201") == [], told(result)
    assert message(result, "B214").startswith("Of /ousting/, nothing but the status was checked.")


def test_b214_is_said_of_pages_that_must_hold_a_text_too(lab):
    said = message(lab.run(duration_s=1.0), "B214")
    assert "rehearsed answers: the expected text, content type" in said


LOCUSTFILE = """
from locust import FastHttpUser, task

class Visitor(FastHttpUser):
    @task
    def page(self):
        self.client.get("/well/")
"""


def test_b214_what_only_a_journey_can_check_is_told(lab, tmp_path):
    own = message(lab.run(workload="dawdling", duration_s=1.0), "B214")
    assert own.startswith("Of the answers, the status was checked and what the journey itself asks")
    file = tmp_path / "locustfile.py"
    file.write_text(LOCUSTFILE)
    asked = {"path": str(file)}
    theirs = lab.run(workload="locustfile", asked=asked, keep_cookies=True, duration_s=1.0)
    assert "Locust follows redirects: a log-in page" in message(theirs, "B214"), told(theirs)
