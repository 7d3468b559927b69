"""The pages that `runstudy --markdown` writes of all studies, and what they answer from them."""

import re
from functools import partial

import pytest
from django.core.management import CommandError, call_command

from benchsuite.core.results import Finding, Level
from benchsuite.models import StudyRun
from benchsuite.report.studies.execution import next_step, study_report
from benchsuite.report.studies.several import whole
from benchsuite.report.writers import to_markdown
from benchsuite.studies import reading
from tests import study_factories
from tests.factories import MACHINE
from tests.study_factories import RATES, TEXT, write
from tests.web.conftest import BY_TOKEN

ANSWER = """
[[answer]]
asks = "Does it\\nwait?"
choice = "setup"
"""

make_study_run = partial(study_factories.make_study_run, more=ANSWER)


@pytest.fixture(autouse=True)
def file(settings, tmp_path):
    found = write(tmp_path)
    found.write_text(TEXT + ANSWER)
    settings.BENCHSUITE = {"ACCESS": BY_TOKEN, "STUDIES": [found]}
    return found


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "pages"
    made.mkdir()
    return made


def index(folder, *names, label=""):
    call_command("runstudy", *names, markdown=str(folder), label=label)
    return (folder / "README.md").read_text()


def row(page, beginning):
    (found,) = [line for line in page.splitlines() if line.startswith(f"| {beginning}")]
    return [one.strip() for one in found.strip("|").split(" | ")]


def test_a_page_a_study_and_one_that_answers_from_all(folder, capsys):
    mine = make_study_run(label="first")
    make_study_run(dict.fromkeys(RATES, 50.0), days=1)
    page = index(folder, label="first")
    assert capsys.readouterr().out == f"Written  shop.md, README.md in {folder}\n"
    assert (folder / "shop.md").read_text() == to_markdown(whole(study_report(mine)))
    assert page.startswith("# Which server do I take?\n")
    assert "\n## Does it wait?\n\ndelay 0: async is best with 1" in page
    best = r"\ndelay 200: async is best with 1[45]\d\u2009/s \[1.., 1..\]; sync has 0\.2\d* × \["
    assert re.search(best, page)
    assert "\n- Measured by shop: runs 12 valid" in page
    assert re.search(r"\n\| sync \| [^|]+ \| 0\.\d+ × [^|]+ \| █+░* \|\n", page)
    claim = row(page, "[shop](shop.md) | Sync falls")
    assert claim[2:3] + claim[4:] == ["120 → 40 /s", "● holds"]
    assert claim[3].startswith("answers a second of delay 200 / delay 0 is 0.")
    executed = row(page, "[shop](shop.md) | Does async")
    assert "finished, first" in executed[2]
    assert executed[3:] == ["1", "2", "12 valid", "2 hold and 1 can't be told here"]
    assert f"- CPU: {MACHINE['cpu_model']}\n" in page
    assert "- servers: gunicorn-sync 23.0.0, uvicorn 23.0.0\n" in page
    for name in reading.studies():
        assert f"\n- {name}: There is no execution 'first' of {name}; execute it" in page


def test_a_study_answers_on_its_own_page_too(soup, folder):
    last = ANSWER.replace("wait", "last") + 'only = { delay = "0" }'
    mine = make_study_run(only={"delay": ("100", "200")}, more=ANSWER + last)
    page = soup("/results/studies/shop/")
    assert [one.text for one in page.select("details:has(#answers) h3")] == [
        "Does it wait? delay 100",
        "Does it wait? delay 200",
    ]
    _, ranking = page.select("details:has(#answers) tbody")
    rows = [[one.text.strip() for one in line.select("th, td")] for line in ranking.select("tr")]
    assert [one[0] for one in rows] == ["async", "sync"]
    assert "Does it last? No configuration of it is part of this execution." in page.text
    written = to_markdown(whole(study_report(mine)))
    assert "\n### Does it wait? delay 200\n\ndelay 200: async is best with " in written
    assert f"| {' | '.join(rows[1])} |" in written
    assert f"| {' | '.join(rows[1])} |" in index(folder)


def test_what_is_answered(folder, golden):
    """Swapped arms, where runs don't count and nobody is named, and what failed by itself."""
    noisy = Finding(code="B401 noisy-host", level=Level.INVALID, message="Others used it.")
    failing = Finding(code="B201 failures", level=Level.INVALID, message="Many failed.")
    other = {"sync": "async", "async": "sync"}

    def excluded(at, start):
        is_noisy = at == ("async", "0") or (at == ("async", "100") and start == 1)
        return {"findings": (noisy,)} if is_noisy else {}

    def failed(at, start):
        return {"findings": (failing,)} if at == ("async", "0") else {}

    swapped = {(other[setup], delay): rate for (setup, delay), rate in RATES.items()}
    for name, given in (
        ("swapped", {"rates": swapped}),
        ("excluded", {"change": excluded, "skipped": ("sync", "200")}),
        ("failed", {"change": failed}),
    ):
        StudyRun.objects.all().delete()
        make_study_run(**given)
        golden(index(folder, "shop", "servers_today"), name)


def test_it_is_executed_again_as_it_was():
    row = study_factories.make_study_run(label="mine", only={"setup": ["sync", "async"]})
    row.claims = True
    _, line = next_step(row)
    assert line.endswith("runstudy shop --label=mine --only=setup=sync,async --claims")


def test_the_page_alone(capsys, folder):
    make_study_run()
    call_command("runstudy", markdown="-")
    assert capsys.readouterr().out == index(folder)


def test_an_execution_that_can_not_be_read_is_told(folder):
    readable = make_study_run()
    StudyRun.objects.filter(pk=readable.pk).update(name="gone")
    make_study_run()
    page = index(folder)
    assert "- gone: gone.toml: name: must be what the file is called, 'gone'" in page
    assert not (folder / "gone.md").exists()


def test_an_execution_with_looks_of_another_benchsuite_is_told(soup):
    StudyRun.objects.filter(pk=make_study_run().pk).update(looks=0)
    assert "has 0 looks" in soup("/results/studies/shop/", status=400).text


def test_what_can_not_be_written_is_one_sentence(folder, tmp_path):
    def refused(*names, **options):
        with pytest.raises(CommandError) as raised:
            call_command("runstudy", *names, **options)
        assert "\n" not in str(raised.value)
        assert raised.value.returncode == 2
        return str(raised.value)

    assert "there is no execution" in refused(markdown=str(folder)).lower()
    make_study_run()
    assert "must be a folder, as several" in refused(markdown=str(tmp_path / "no"))
    assert "There is no study 'shp'; did you mean shop?" in (
        refused("shp", "shop", markdown=str(folder))
    )
    assert "Name one study, not 2; there are: " in refused("shop", "servers_today")
    assert "Name a study; there are: " in refused()
    (folder / "shop.md").mkdir()
    with pytest.raises(CommandError, match=r"shop\.md could not be written: Is a directory"):
        call_command("runstudy", markdown=str(folder))
