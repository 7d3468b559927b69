"""plotly.js comes from the installed package."""

from importlib import metadata
from typing import Any

from tests.factories import make_run


def test_it_is_served_and_may_be_kept(client: Any, soup: Any) -> None:
    run = make_run("uwsgi")
    sources = [script["src"] for script in soup(f"/results/{run.pk}/").select("script[src]")]
    own = next(source for source in sources if "plotly" in source)
    assert own == f"/results/plotly-{metadata.version('plotly')}.min.js"
    assert all(source.startswith("/") for source in sources)
    answer = client.get(own, headers={"accept-encoding": "gzip"})
    assert answer["Content-Type"].startswith("text/javascript")
    assert "immutable" in answer["Cache-Control"]
    assert answer["Content-Encoding"] == "gzip"


def test_another_version_is_not_found(client: Any) -> None:
    assert client.get("/results/plotly-1.0.min.js").status_code == 404


def test_pages_hold_no_inline_script_or_style(soup: Any) -> None:
    run = make_run("uwsgi")
    for path in ("", f"{run.pk}/", f"compare/?runs={run.pk}"):
        page = soup(f"/results/{path}")
        inline = [
            one for one in page.select("script:not([src])") if one["type"] != "application/json"
        ]
        assert not inline
        assert not page.select("[style], style, [onclick]")
