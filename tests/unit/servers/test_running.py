"""Targets that already run: how they are named, how far one elsewhere may be asked, and what can't
be had with one.
"""

import socket

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.load.client.failures import Failure, refusal_sentence
from benchsuite.load.client.target import Target
from benchsuite.load.job import Job
from benchsuite.runner import planning, preflight
from benchsuite.servers import running

HERE, ELSEWHERE = "http://127.0.0.1:8000", "http://192.0.2.1"
REACHED = override_settings(BENCHSUITE={"TARGETS": {"192.0.2.1": 30}})


def plan(address=HERE, path="/shop/", work="url", **load):
    options = {"path": path} if path else {}
    workload = WorkloadSpec(workload=work, options=options)
    profile = LoadProfile(**load)
    return planning.resolve(
        RunSpec(server=ServerSpec(server=address), workload=workload, load=profile)
    )


@pytest.fixture
def yes_load():
    token = preflight.YES_LOAD.set(["192.0.2.1"])
    yield
    preflight.YES_LOAD.reset(token)


def test_what_names_no_target_is_refused(golden):
    golden.cases(running.origin, refuses=UsageError)


def test_one_elsewhere_must_be_named_in_the_settings_and_again(yes_load, monkeypatch):
    with pytest.raises(UsageError, match=r'"TARGETS": \{"192.0.2.1": 50\}'):
        plan(ELSEWHERE)
    with REACHED:
        spared = plan(ELSEWHERE, model="open", arrival_rate=30.0)
        preflight.check(spared)
        preflight.YES_LOAD.set(["127.0.0.1"])
        with pytest.raises(UsageError, match=r"by --yes-load=192\.0\.2\.1"):
            preflight.check(spared)
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(UsageError, match=r"shop\.example has no address"):
        plan("https://shop.example")


def unknown(*_, **__):
    raise socket.gaierror(-2, "Name or service not known")


@REACHED
def test_it_is_asked_no_more_than_the_settings_say(yes_load):
    preflight.check(plan(ELSEWHERE, users=6, think_time_s=0.2))
    for load, words in (
        ({"model": "open", "arrival_rate": 30.1}, "--rate=30 at most"),
        ({"users": 6}, "--think-time=0.2s or more"),
        ({"users": 6, "think_time_s": 0.19}, "--think-time=0.2s or more"),
    ):
        with pytest.raises(UsageError, match=words):
            preflight.check(plan(ELSEWHERE, **load))
    journeys = plan(ELSEWHERE, model="open", arrival_rate=20.0)
    preflight.check_rate(journeys, 1)
    with pytest.raises(UsageError, match="each of 3 requests are more: ask for --rate=10 at most"):
        preflight.check_rate(journeys, 3)
    for work, path, load in (
        ("ws_echo", "/ws/", {}),
        ("locustfile", __file__, {"keep_cookies": True}),
    ):
        with pytest.raises(UsageError, match=f"those of {work} can't be bounded"):
            preflight.check(plan(ELSEWHERE, path=path, work=work, **load))


def test_options_of_servers_are_refused_with_one(golden):
    def run(*words):
        call_command("runbench", "--dry-run", *words)

    golden.words(run, raises=CommandError)


@pytest.mark.django_db
def test_the_plan_says_that_nothing_is_started(golden, capsys):
    call_command("runbench", f"--target={HERE}", "--path=/shop/", "--dry-run")
    golden(capsys.readouterr().out)


def test_its_refusals_name_what_helps_there(golden):
    work = {"workload_class": "", "workload": WorkloadSpec(), "load": LoadProfile(), "spool": ""}
    target = Target.of(Job(base_url=HERE, run_header="a" * 32, starts=False, **work))

    def said(kind, status, location=""):
        failure = Failure(
            kind=kind, message="", method="GET", path="/a/", status=status, location=location
        )
        return refusal_sentence(failure, target)

    golden.cases(said)


def test_values(golden):
    golden.values()
