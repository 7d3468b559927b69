"""Times are told in the project's zone, whether or not it has `USE_TZ`."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.db import connection

from benchsuite.columns import Moment
from benchsuite.models import Environment, Note, Run, StudyRun
from benchsuite.report import sentences
from benchsuite.store import notes
from tests.every_page import CHANGING, addresses, files
from tests.factories import make_run

NOON = datetime(2026, 1, 31, 12, 0, 5, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _in_new_york(settings):
    settings.TIME_ZONE = "America/New_York"


def test_every_page_shows_the_same_times_without_use_tz(client, settings, tmp_path):
    pages = addresses(settings, tmp_path)
    pages += [*files(pages), "/results/export/?format=json", "/results/export/?format=csv"]

    def shown():
        answers = {path: client.get(path) for path in pages}
        return {
            path: (answer.status_code, CHANGING.sub("", answer.getvalue().decode()))
            for path, answer in answers.items()
        }

    usual, settings.USE_TZ = shown(), False
    without = shown()
    assert [path for path in pages if without[path] != usual[path]] == []
    assert {usual[path][0] for path in pages[:2]} == {200}
    client.force_login(User.objects.create_superuser("root"))
    for model in ("run", "studyrun", "tuning"):  # whose times Django shows as they are, in UTC
        assert client.get(f"/admin/benchsuite/{model}/").status_code == 200


@pytest.mark.parametrize("use_tz", [True, False])
def test_what_is_stored_is_the_same_moment(client, settings, use_tz):
    settings.USE_TZ = use_tz
    run = make_run(started_at=NOON)
    notes.keep(run=run, text="cold")
    for made in (Note.objects.get().changed_at, Environment.objects.get().created):
        assert abs(datetime.now(UTC) - made) < timedelta(minutes=5)
    assert Run.objects.get(started_at=NOON, started_at__date__lte="2026-01-31").started_at == NOON
    with connection.cursor() as cursor:
        cursor.execute("SELECT started_at FROM benchsuite_run")
        assert str(cursor.fetchone()[0]).startswith("2026-01-31 12:00:05"), "as with USE_TZ"
    assert "07:00:05" in client.get(run.get_absolute_url()).content.decode()


@pytest.mark.parametrize("use_tz", [True, False])
def test_the_days_of_the_filter_are_those_of_the_pages(client, settings, use_tz):
    settings.USE_TZ = use_tz
    make_run(started_at=NOON + timedelta(hours=15))  # 22:00 in New York, and the next day in UTC

    def found(query):
        return client.get(f"/results/?{query}").content.decode().count('<tr class="run valid">')

    assert (found("since=2026-01-31"), found("since=2026-02-01")) == (1, 0)
    assert (found("until=2026-01-31"), found("until=2026-01-30")) == (1, 0)


def test_what_is_told_as_utc_is_so_where_the_database_tells_another_zone():
    there = NOON.astimezone(ZoneInfo("Europe/Berlin"))
    row = StudyRun(started_at=Moment().from_db_value(there, None, connection))
    assert sentences.when(row).startswith("31 Jan 2026, 12:00 UTC")
