"""A console with a database of its own, and a browser that looks at it."""

import os
import secrets
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def console() -> Iterator[None]:
    """Django set up on a SQLite file that is removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DATABASE_URL"] = f"sqlite:///{folder}/pages.sqlite3"
        os.environ["DJANGO_SETTINGS_MODULE"] = "testproject.settings.console"
        os.environ["BENCHSUITE_ACCESS"] = "benchsuite.views.access.token"
        os.environ["BENCHSUITE_TOKEN"] = secrets.token_urlsafe()
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright keeps an event loop here
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        yield


@contextmanager
def served() -> Iterator[str]:
    """The address at which a thread shows that console's pages."""
    from django.contrib.staticfiles.handlers import StaticFilesHandler
    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
    from django.core.wsgi import get_wsgi_application

    class Quiet(WSGIRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    with ThreadedWSGIServer(("127.0.0.1", 0), Quiet) as server:
        server.set_app(StaticFilesHandler(get_wsgi_application()))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def tab(address: str, **options: Any) -> Iterator[Any]:
    """A tab of Chromium (apt install chromium, pip install playwright) at these pages."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    arguments = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        page = browser.new_page(base_url=address, **options)
        page.goto(f"/results/?token={os.environ['BENCHSUITE_TOKEN']}")
        yield page
        browser.close()
