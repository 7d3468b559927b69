"""What holds for each page, whatever it shows."""

import re

from bs4 import BeautifulSoup
from django.utils import translation

from benchsuite.management.output import write_page
from benchsuite.models import Run
from tests.every_page import CHANGING, addresses, files
from tests.factories import make_run

REPR = re.compile(
    r"""[(\[{]['"] | ['"],?[)\]}] | ['"]:\s | \b(None(?!\ of)|True|False)\b | \ object\ at\ 0x
    | \bdatetime\. | \b(UUID|Decimal|OrderedDict|frozenset)\(
    | <\w[\w.]*[:\ ] | \b[A-Z]\w+\.[A-Z]{3,}\b""",
    re.VERBOSE,
)
"""What Python writes of its values, and no person would."""
OF_PYTHON = "script, style, code, pre"  #: Settings, commands and logs are Python's, or a server's.


def test_nothing_is_written_as_python_writes_it(client, settings, tmp_path):
    pages = addresses(settings, tmp_path)
    found = {}
    for path in pages:
        page = BeautifulSoup(client.get(path).content, "html.parser")
        for part in page.select(OF_PYTHON):
            part.decompose()
        texts = [str(text) for text in page.find_all(string=True)]
        texts += [
            tag[name]
            for tag in page.find_all(True)
            for name in ("title", "aria-label", "data-label")
            if tag.has_attr(name)
        ]
        if wrong := [text.strip() for text in texts if REPR.search(text)]:
            found[path] = wrong
    assert found == {}
    for value in (("B401",), {"a": 1}, None, [True], object(), settings, ["x"]):
        assert REPR.search(str(value)), "it would be seen"


def test_no_sentence_is_empty(client, settings, tmp_path):
    empty = {}
    for path in addresses(settings, tmp_path):
        page = BeautifulSoup(client.get(path).content, "html.parser")
        texts = page.select("p, h1, h2, h3, li, dd, summary")
        if without := [str(text) for text in texts if not text.get_text(strip=True)]:
            empty[path] = without
    assert empty == {}


def test_a_page_is_one_small_file_that_leads_nowhere(client, settings, tmp_path):
    """The browser test opens them; here none asks for anything, nor leads into a console."""
    paths = files(addresses(settings, tmp_path))
    assert len(paths) >= 12
    for path in paths:
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert answer["Content-Disposition"].endswith('.html"'), path
        text = answer.getvalue().decode()
        assert len(text) < 1_000_000, path
        page = BeautifulSoup(text, "html.parser")
        assert page.select_one("#plotly") is not None or not page.select("figure.chart"), path
        asked = (
            "link, script[src], img, iframe, form, button[type=submit], a[href^='/'], a[href^='?']"
        )
        assert page.select(asked) == [], path


def test_what_pages_show_is_english_whatever_the_project_speaks(client, settings, tmp_path):
    pages = addresses(settings, tmp_path)
    pages += [*files(pages), "/results/export/?format=json", "/results/export/?format=csv"]

    def shown(language):
        file = tmp_path / f"{language}.html"
        with translation.override(language):
            texts = {path: client.get(path).getvalue().decode() for path in pages}
            write_page(str(file), "run.show", Run.objects.latest("started_at").pk)
        texts["--html"] = file.read_text()
        return {path: CHANGING.sub("", text) for path, text in texts.items()}

    usual, german = shown("en"), shown("de")
    assert [path for path in usual if german[path] != usual[path]] == []


def test_addresses_keep_the_language_of_the_project(client, settings):
    settings.ROOT_URLCONF = "tests.web.language_urls"
    run = make_run("uwsgi")
    with translation.override("de"):
        texts = [client.get(f"/de/results/{path}").content for path in ("", f"{run.pk}/")]
    for text in texts:
        links = BeautifulSoup(text, "html.parser").select("main a[href^='/']")
        assert links, "there are some"
        assert all(link["href"].startswith("/de/results/") for link in links)
