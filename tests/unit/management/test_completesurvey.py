"""What the command counts apart, and its exit status."""

from io import StringIO

from django.core.management import CommandError, call_command

from benchsuite.robot import confirmation
from tests.foreign.fates import Visitor
from tests.needs import needs

pytestmark = needs("selectolax", "faker")


def test_only_what_has_evidence_counts(golden, monkeypatch):
    def completed(make, *options):
        """The exit status, the last line of what it printed, and what it complained of."""
        host = make()
        monkeypatch.setattr(confirmation, "BlockingClient", lambda *url, timeout_s: Visitor(host))
        out, err = StringIO(), StringIO()
        words = ("completesurvey", "http://127.0.0.1:9/", "--count=2", *options)
        code = 0
        try:
            call_command(*words, stdout=out, stderr=err)
        except CommandError as error:
            code = error.returncode
        return f"{code}: {out.getvalue().splitlines()[-1]}\n{err.getvalue()}".strip()

    golden.cases(completed, replace={r"in [\d.]+\s\w*s;": "in <time>;"})
