"""plotly.js comes from the package, and the pages allow nothing that comes from elsewhere."""

import django
import pytest

from benchsuite.report.pages.html import PLOTLY
from tests.factories import make_run

HEADER = "Content-Security-Policy"
THEIRS = "default-src 'none'; report-uri /theirs"


def policy(answer):
    parts = answer[HEADER].split("; ")
    return {name: sources for name, _, sources in (part.partition(" ") for part in parts)}


def test_it_is_a_static_file_of_the_package(soup):
    page = soup(f"/results/{make_run('uwsgi').pk}/")
    sources = [script["src"] for script in page.select("script[src]")]
    assert f"/static/benchsuite/{PLOTLY.name}" in sources
    assert all(source.startswith("/static/benchsuite/") for source in sources)
    sheet = page.select_one("#plotly\\.js-style-global")["href"]
    assert sheet == "/static/benchsuite/plotly.css"
    assert (PLOTLY.parent / "plotly.css").is_file()


def test_pages_hold_no_inline_script_or_style(soup):
    run = make_run("uwsgi")
    for path in ("", f"{run.pk}/", f"compare/?runs={run.pk}"):
        page = soup(f"/results/{path}")
        inline = [
            one for one in page.select("script:not([src])") if one["type"] != "application/json"
        ]
        assert not inline
        assert not page.select("[style], style, [onclick]")


@pytest.mark.parametrize("path", ["", "compare/", "00000000-0000-0000-0000-000000000007/"])
def test_every_page_allows_only_our_own_files(client, path):
    allowed = policy(client.get(f"/results/{path}"))
    assert allowed["default-src"] == "'none'"
    assert allowed["script-src"] == allowed["style-src"] == allowed["form-action"] == "'self'"


@pytest.mark.parametrize("url", ["https://cdn.example/s/", "//cdn.example/s/"])
def test_static_files_may_come_from_where_the_project_keeps_them(client, settings, url):
    settings.STATIC_URL = url
    allowed = policy(client.get("/results/"))
    assert allowed["script-src"] == f"'self' {url.removesuffix('/s/').removeprefix('//')}"
    assert allowed["form-action"] == "'self'"


def test_a_form_may_end_at_the_login_of_another_site(client, settings):
    settings.LOGIN_URL = "https://sso.example/in?a=b"
    assert policy(client.get("/results/"))["form-action"] == "'self' https://sso.example"


def test_numbers_need_no_policy(client):
    run = make_run("uwsgi")
    assert HEADER not in client.get(f"/results/{run.pk}/goodput.csv")


def replacing(get_response):
    """A project's own middleware with a policy for everything."""

    def middleware(request):
        response = get_response(request)
        response[HEADER] = THEIRS
        return response

    return middleware


def test_a_project_has_the_last_word(client, settings):
    settings.MIDDLEWARE = [f"{__name__}.replacing", *settings.MIDDLEWARE]
    assert client.get("/results/")[HEADER] == THEIRS


if django.VERSION >= (6, 0):

    def test_djangos_own_policy_leaves_ours(client, settings):
        middleware = "django.middleware.csp.ContentSecurityPolicyMiddleware"
        settings.MIDDLEWARE = [middleware, *settings.MIDDLEWARE]
        settings.SECURE_CSP = {"script-src": ["'nonce-x'"]}
        assert policy(client.get("/results/"))["script-src"] == "'self'"
