"""What limits real runs is named from what they stored; a diagnostic start names the lines."""

from uuid import uuid4

import pytest

from benchsuite import bottlenecks, store
from benchsuite.core.results import Level, Status
from benchsuite.core.specs import DatabaseSpec, LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.report.limiting import evidence
from benchsuite.runner import planning
from benchsuite.system import cpus
from tests.integration.runs import made, page, written
from tests.needs import needs

SETTINGS = """
from pathlib import Path
WSGI_APPLICATION = "looping.wsgi.application"
ASGI_APPLICATION = "looping.asgi.application"
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


@pytest.fixture
def looping(tmp_path, monkeypatch):
    sources = {"settings": SETTINGS, "models": MODELS, "urls": URLS}
    with written(tmp_path, "looping", sources, monkeypatch) as project:
        (project.folder / "pages").mkdir()
        (project.folder / "pages" / "products.html").write_text(TEMPLATE)
        yield project


def limits(result):
    """Number → what it says, as a page of the stored run tells it."""
    return {one.code.split()[0]: one.says for one in bottlenecks.name(stored(result))}


def stored(result, **facts):
    """What is told of the stored run."""
    run = store.begun(result.spec, batch=uuid4(), started_at=result.started_at, **facts)
    store.fill(run, result)
    return evidence(run)


@pytest.mark.alone
def test_repeated_queries_are_named_with_their_line(looping):
    asked = (
        *(("/looping/", "gunicorn-sync"), ("/templated/", "uvicorn")),
        ("/joined/", "gunicorn-sync"),
    )
    specs = [page(path, server, users=4, duration_s=1.5).diagnosed for path, server in asked]
    results = made(looping.settings_module, *specs, start_timeout_s=30.0)
    assert [result.failure for result in results] == [""] * 3
    result, templated, joined = results
    assert [one.level for one in result.findings if one.code == "B502 diagnosed"] == [Level.INVALID]
    assert "looping/urls.py:" + str(LOOP) in limits(result)["L04c"]
    (asked_page,) = result.diagnosis["pages"]
    assert asked_page["page"] == "GET /looping/"
    assert asked_page["queries"] == pytest.approx(42, abs=0.2), "40 makers, products, are there any"
    assert "products.html:3 makes 40 equal queries" in limits(templated)["L04c"], "ASGI, too"
    assert "L04c" not in limits(joined)
    assert "L15" in limits(joined), "it collects garbage in each request"


@pytest.mark.alone
@needs("postgresql", "psycopg")
def test_a_database_on_the_servers_cpu_is_named_with_its_share():
    """Ten users and a connection for each request; the rest is as a tuning does it."""
    target, load = cpus.split(cpus.available(), 1) or (None, None)
    spec = RunSpec(
        server=ServerSpec(server="gunicorn-gthread", processes=1, threads=4, cpus=target),
        workload=WorkloadSpec(workload="io_read"),
        load=LoadProfile(users=10, warmup_s=1.0, duration_s=3.0, cpus=load),
        database=DatabaseSpec(use="postgresql", rows=1000, fsync=False, conn_max_age_s=0.0),
    )
    (result,) = made("testproject.settings.target", spec)
    assert result.status is Status.FINISHED, result.failure
    seen = stored(result, server_facts=planning.resolve(spec).server_facts)
    assert seen.cpu_percent["database"] > seen.cpu_percent["target"] > 5
    named = {one.code.split()[0]: one.evidence for one in bottlenecks.name(seen)}
    # where something else keeps this machine busy, that is L01, with the same figures
    told = named.get("L04a") or named["L01"]
    assert "database 0." in told
    assert "target 0." in told
    assert "a request waits" in told
    assert "L00" not in named
