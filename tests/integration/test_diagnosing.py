"""A diagnostic start names the lines that repeat a query, in code and in templates."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integration.projects import written

from benchsuite import bottlenecks, store
from benchsuite.comparing.limiting import evidence
from benchsuite.core.results import Level, RunResult, Status
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner import planning, session
from tests.integration.runs import Quiet

SETTINGS = """
from pathlib import Path
SECRET_KEY = "for the test"
WSGI_APPLICATION = "looping.wsgi.application"
ASGI_APPLICATION = "looping.asgi.application"
ROOT_URLCONF = "looping.urls"
INSTALLED_APPS = ["looping"]
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": Path("looping.sqlite3")}}
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates",
    "DIRS": [Path(__file__).parent / "pages"],
}]
"""
MODELS = """
from django.db import models
class Maker(models.Model):
    name = models.CharField(max_length=20)
class Product(models.Model):
    name = models.CharField(max_length=20)
    maker = models.ForeignKey(Maker, models.CASCADE)
"""
URLS = """
import gc
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from looping.models import Maker, Product
def filled():
    if not Product.objects.exists():
        makers = Maker.objects.bulk_create(Maker(name=str(n)) for n in range(40))
        Product.objects.bulk_create(Product(name=one.name, maker=one) for one in makers)
def looping(request):
    filled()
    names = []
    for product in Product.objects.all():
        names.append(product.maker.name)  # the loop
    return HttpResponse("OK " + " ".join(names))
def templated(request):
    filled()
    return render(request, "products.html", {"products": Product.objects.all()})
def joined(request):
    filled()
    gc.collect()
    products = Product.objects.select_related("maker")
    return HttpResponse("OK " + " ".join(one.maker.name for one in products))
urlpatterns = [
    path("looping/", looping), path("templated/", templated), path("joined/", joined)
]
"""
TEMPLATE = """OK
{% for product in products %}
  {{ product.maker.name }}
{% endfor %}
"""
LOOP = 1 + URLS.splitlines().index("        names.append(product.maker.name)  # the loop")
CALLABLE = """
from django.core.{kind} import get_{kind}_application
application = get_{kind}_application()
"""


@pytest.fixture
def at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    sources = {
        "settings": SETTINGS,
        "models": MODELS,
        "urls": URLS,
        "wsgi": CALLABLE.format(kind="wsgi"),
        "asgi": CALLABLE.format(kind="asgi"),
    }
    with written(tmp_path, "looping", sources, monkeypatch) as package:
        (package / "pages").mkdir()
        (package / "pages" / "products.html").write_text(TEMPLATE)
        with session(settings_module="looping.settings", start_timeout_s=30.0) as opened:
            yield opened


def made(at_work: Any, path: str, server: str) -> RunResult:
    spec = RunSpec(
        server=ServerSpec(server=server),
        workload=WorkloadSpec(workload="url", options={"path": path}),
        load=LoadProfile(users=4, warmup_s=0.0, duration_s=1.5),
    )
    result: RunResult = at_work.run(planning.resolve(spec.diagnosed), Quiet())
    assert result.status is Status.FINISHED, result.failure
    return result


def limits(result: RunResult) -> dict[str, str]:
    """Number → what it says, as a page of the stored run tells it."""
    run = store.begun(result.spec, batch="0" * 32, started_at=result.started_at)  # type: ignore[arg-type]
    store.fill(run, result)
    found = evidence(run)
    assert found is not None
    return {one.code.split()[0]: one.says for one in bottlenecks.name(found)}


@pytest.mark.alone
def test_repeated_queries_are_named_with_their_line(at_work: Any) -> None:
    result = made(at_work, "/looping/", "gunicorn-sync")
    assert [one.level for one in result.findings if one.code == "B502 diagnosed"] == [Level.INVALID]
    assert "looping/urls.py:" + str(LOOP) in limits(result)["L04c"]
    assert result.diagnosis is not None
    (page,) = result.diagnosis["pages"]
    assert page["page"] == "GET /looping/"
    assert page["queries"] == pytest.approx(42, abs=0.2), "40 makers, products, are there any"

    templated = made(at_work, "/templated/", "uvicorn")
    assert "products.html:3 makes 40.0 equal queries" in limits(templated)["L04c"], "ASGI, too"

    joined = made(at_work, "/joined/", "gunicorn-sync")
    assert "L04c" not in limits(joined)
    assert "L15" in limits(joined), "it collects garbage in each request"
