"""Makes the pictures of the docs anew: python -m benchmarks.screenshots

Measures four servers for about two minutes and shows these runs; uses a SQLite file of its own that
is removed at the end.
"""

import argparse
from typing import Any

from benchmarks.console import ROOT, console, served, tab

IMAGES = ROOT / "docs" / "images"
MEASURED = [
    *("--server=gunicorn-gthread,uwsgi,uvicorn,granian-wsgi", "--workload=io_read", "--rows=10000"),
    *("--users=20", "--warmup=2", "--duration=8", "--repeat=2", "--label=demo"),
]


def main() -> None:
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    with console():
        from django.core.management import call_command

        from benchsuite.models import Run

        call_command("runbench", *MEASURED)
        newest = Run.objects.order_by("-started_at")[0]
        with served() as address:
            with tab(address, viewport={"width": 1280, "height": 800}) as page:
                shoot(page, "list", "/results/")
                shoot(page, "run", f"/results/{newest.pk}/")
                shoot(page, "compare", f"/results/compare/?batch={newest.batch}")
            narrow = {"width": 400, "height": 800}
            with tab(address, viewport=narrow, color_scheme="dark", has_touch=True) as page:
                shoot(page, "compare-narrow", f"/results/compare/?batch={newest.batch}")


def shoot(page: Any, name: str, path: str) -> None:
    """The whole page as it opens, with every chart drawn that is not folded."""
    page.goto(path)
    for figure in page.locator("figure.chart:visible").all():
        figure.scroll_into_view_if_needed()
        figure.locator("svg.main-svg").first.wait_for()
    page.mouse.move(0, 0)
    page.evaluate("() => scrollTo(0, 0)")
    page.screenshot(path=IMAGES / f"{name}.png", full_page=True)
    print(IMAGES / f"{name}.png")


if __name__ == "__main__":
    main()
