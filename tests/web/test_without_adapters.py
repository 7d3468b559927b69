"""A stored run says what it said when its server and workload were still known."""

import re
from contextlib import ExitStack
from unittest.mock import patch

from benchsuite import servers, workloads
from benchsuite.management.output import Screen
from benchsuite.models import Run
from benchsuite.servers import heritage
from tests.factories import WEAK, make_failed_run, make_run, make_running_run
from tests.socket_factories import make_echo_run

TOKENS = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')  #: Another one each time.
GONE = (
    (servers.BUILTIN, "uvicorn"),
    (servers.BUILTIN, "gunicorn-sync"),
    (heritage.BUILTIN, "heritage-2012-gevent"),
    (workloads.BUILTIN, "io_read"),
    (workloads.BUILTIN, "io_read_async"),
)
"""`gunicorn-sync` has no run here: that others lose their place must not change their colours."""


def shown(client, capsys):
    """Every page of all runs, what is exported of them, and what the terminal says of them."""
    ids = [str(run.pk) for run in Run.objects.exclude(status="running").order_by("server", "pk")]
    some = f"?runs={','.join(ids)}&forced=1"
    paths = ["", "export/?format=csv", "export/?format=json", f"compare/{some}"]
    paths += [f"{pk}/{page}" for pk in ids for page in ("", "export/")]
    answers = {path: client.get(f"/results/{path}") for path in paths}
    assert {one.status_code for one in answers.values()} == {200}
    capsys.readouterr()
    Screen().results(Run.objects.filter(workload="io_read"), stored=False)
    return {
        **{path: TOKENS.sub("", one.getvalue().decode()) for path, one in answers.items()},
        "terminal": capsys.readouterr().out,
    }


def test_no_page_asks_an_adapter_of_today(client, capsys):
    make_run("uvicorn", findings=(WEAK,))
    make_run("uwsgi", rate=900)
    make_run("heritage-2012-gevent")
    make_failed_run("uvicorn")
    make_echo_run()
    before = shown(client, capsys)
    with ExitStack() as stack:
        for known, name in GONE:
            # monkeypatch would put it back at the end, and the order of servers is looked at
            del stack.enter_context(patch.dict(known))[name]
        assert shown(client, capsys) == before
    assert "uvicorn runs sync views in a thread" in before["terminal"]
    assert "heritage-2012-gevent serves a small target of its own" in before["terminal"]


def test_what_still_runs_says_what_it_serves(client):
    run = make_running_run("heritage-2012-gevent")
    assert "target of its own" in client.get(f"/results/{run.pk}/").getvalue().decode()
