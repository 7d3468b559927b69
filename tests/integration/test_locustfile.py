"""Locustfiles as people have them, under our clock."""

import re
import time

import pytest

from benchsuite.core.exceptions import LoadError
from benchsuite.core.samples import Kind
from tests.integration.loads import a_job, load, served
from tests.integration.stubs_http import Responder, after, answer, closing, every

HEAD = """
from locust import FastHttpUser, HttpUser, User, between, constant, events, task
"""
HOME = """
    @task
    def home(self):
        self.client.get("/")
"""
SAVE = """
    @task
    def save(self):
        self.client.post("/save", {"a": "1"}, name="save it")
"""
each_base = pytest.mark.parametrize("base", ["HttpUser", "FastHttpUser"])


def visitor(base, wait="constant(0.02)", body=HOME):
    return f"class Visitor({base}):\n    wait_time = {wait}\n{body}"


def written(tmp_path, text):
    path = tmp_path / "locustfile.py"
    path.write_text(HEAD + text)
    return str(path)


def run(tmp_path, text, behaviours=None, **profile):
    return served(tmp_path, behaviours, locustfile=written(tmp_path, text), **profile)


@each_base
@pytest.mark.alone
def test_requests_are_samples_under_locusts_names(tmp_path, base):
    text = visitor(base, "constant(0.01)", HOME.replace("@task", "@task(2)") + SAVE)
    behaviours = {"/": after(0.01), "/save": after(0.01)}
    result, responder = run(tmp_path, text, behaviours, duration_s=1.0)
    home = result.of("GET /")
    assert result.kinds("GET /") == {Kind.OK: responder.seen["/"]}
    assert result.kinds("POST save it") == {Kind.OK: responder.seen["/save"]}
    assert responder.seen["/"] > responder.seen["/save"] > 5
    assert (home["finish"] - home["start"]).min() >= 0.01
    assert (home["start"] >= result.done.origin).all()
    assert (home["start"] < result.done.window[1] + 0.1).all()
    assert set(home["user"]) == {0, 1}
    assert (home["body_bytes"] == 2).all()
    assert result.done.users[-1][1] == 2


FAILING = [
    (lambda request: answer(status=500), Kind.HTTP_STATUS),
    (lambda request: answer(headers={}), Kind.WRONG_RESPONDER),
    (closing(answer(b"x" * 100)[:-50]), Kind.TRUNCATED),
    (closing(b"SSH-2.0\r\n\r\n"), Kind.PROTOCOL),
]
LATE = [(after(1.0), Kind.READ_TIMEOUT)]


@each_base
@pytest.mark.parametrize(("failing", "limit_s"), [(FAILING, 60.0), (LATE, 0.2)])
def test_failures_are_told_apart(tmp_path, base, failing, limit_s):
    """A busy machine answers late, too, so only what is late has a short limit."""
    behaviours = {f"/{at}": behave for at, (behave, _) in enumerate(failing)}
    options = f", timeout={limit_s}" if base == "HttpUser" else ""
    body = f"    network_timeout = {limit_s}\n    paths = cycle({[*behaviours]})\n"
    body += HOME.replace('"/"', f"next(self.paths){options}")
    text = "from itertools import cycle\n" + visitor(base, "constant(0.01)", body)
    result, responder = run(tmp_path, text, behaviours, users=1, duration_s=1.0)
    for path, (_, kind) in zip(behaviours, failing, strict=True):
        assert result.kinds(f"GET {path}") == {kind: responder.seen[path]}
        assert result.example(f"GET {path}", kind)


@each_base
@pytest.mark.parametrize("think_s", [0.0, 0.06])
@pytest.mark.alone
def test_what_is_sent_again_is_told(tmp_path, base, think_s):
    """FastHttpUser's client does so by itself: once at most, on a connection that has rested."""
    text = visitor(base, f"constant({think_s})")
    fifth = {"/": every(5, closing(), then=after(0.005))}
    result, responder = run(tmp_path, text, fifth, users=1, duration_s=1.0)
    kinds, again = result.kinds("GET /"), len(result.of("resent"))
    resends = base == "FastHttpUser" and think_s > 0
    assert sum(kinds.values()) + again == responder.seen["/"]
    assert (again > 1) is resends
    assert (kinds.get(Kind.RESET, 0) > 1) is not resends


@each_base
def test_a_refused_connection(tmp_path, base):
    with Responder() as responder:
        responder.stop()
        job = a_job(responder, locustfile=written(tmp_path, visitor(base)))
        result = load(tmp_path, job)
    assert set(result.kinds("GET /")) == {Kind.CONNECT_REFUSED}


JUDGING = """
    @task
    def home(self):
        with self.client.get("/", catch_response=True) as response:
            if response.content == b"KO":
                response.failure("knocked out")
            time_passes()
        with self.client.get("/gone", catch_response=True) as response:
            response.success()

def time_passes():
    import gevent
    gevent.sleep(0.3)
"""


@each_base
@pytest.mark.alone
def test_a_with_block_judges_its_answer(tmp_path, base):
    behaviours = {
        "/": every(2, lambda request: answer(b"KO")),
        "/gone": lambda request: answer(status=404),
    }
    text = visitor(base, "constant(0.01)", JUDGING)
    result, responder = run(tmp_path, text, behaviours, users=1, duration_s=1.5)
    samples = result.of("GET /")
    # the with-block that the end of the window cut off in its sleep has judged nothing
    assert responder.seen["/"] - 1 <= len(samples) <= responder.seen["/"]
    assert result.kinds("GET /")[Kind.WRONG_BODY] == len(samples) // 2
    assert result.example("GET /", Kind.WRONG_BODY) == "knocked out"
    assert result.kinds("GET /gone") == {Kind.OK: responder.seen["/gone"]}
    longest_s = (samples["finish"] - samples["start"]).max()
    assert longest_s < 0.3, "the time of the with-block is not the server's"


def test_a_client_of_its_own_fires_the_event(tmp_path):
    asking = """
    @task
    def ask(self):
        import time
        time.sleep(0.1)
        events.request.fire(request_type="RPC", name="ask", response_time=100, response_length=7,
                            exception=None)
"""
    result, _ = run(tmp_path, visitor("User", body=asking))
    samples = result.of("RPC ask")
    assert len(samples) >= 4
    assert samples["finish"] - samples["start"] == pytest.approx(0.1)
    assert (samples["start"] >= result.done.origin - 0.01).all()


def test_a_task_that_raises_is_a_failed_request(tmp_path):
    text = visitor("HttpUser", "constant(0.05)", HOME + '        {}["missing"]\n')
    result, responder = run(tmp_path, text)
    assert result.kinds("GET /") == {Kind.OK: responder.seen["/"]}
    assert result.kinds("Visitor") == {Kind.JOURNEY_ERROR: responder.seen["/"]}
    assert result.example("Visitor", Kind.JOURNEY_ERROR).startswith("KeyError: 'missing' (")
    assert {one.scope for one in result.names} == {"request"}, "what went well is counted there"


def test_a_user_whose_on_start_raises_is_told_and_tries_again(tmp_path):
    failing = '    def on_start(self):\n        {}["missing"]\n'
    result, _ = run(tmp_path, visitor("HttpUser", body=HOME + failing))
    assert result.example("Visitor", Kind.JOURNEY_ERROR).startswith("KeyError: 'missing' (")
    assert len(result.of("Visitor")) > 2, "not only before the window"


def test_hooks_weights_and_options_work_as_in_locust(tmp_path):
    text = """
@events.init_command_line_parser.add_listener
def _(parser):
    parser.add_argument("--page", default="/page")

@events.init.add_listener
def _(environment, **_):
    environment.page = environment.parsed_options.page

class Seldom(HttpUser):
    weight = 1
    wait_time = constant(0.01)
    def on_start(self):
        self.client.get("/hello")
    def on_stop(self):
        self.client.get("/bye")
    @task
    def page(self):
        self.client.get(self.environment.page)

class Often(Seldom):
    weight = 3
"""
    behaviours = {"/page": after(0.002), "/hello": after(0), "/bye": after(0)}
    result, responder = run(tmp_path, text, behaviours, users=4)
    assert responder.seen["/hello"] == responder.seen["/bye"] == 4
    assert len(result.of("GET /page")) == responder.seen["/page"] > 10
    assert (result.of("GET /bye")["start"] >= result.done.window[1]).all()


def test_users_that_end_by_themselves_are_no_longer_counted(tmp_path):
    once = visitor("HttpUser", body=f"{HOME}        raise StopUser\n")
    text = f"from locust.exception import StopUser\n{once}"
    result, responder = run(tmp_path, text, duration_s=1.5)
    assert responder.seen["/"] == 2
    assert result.done.users[-1][1] == 0, "a second later"


def test_waiting_users_end_at_once(tmp_path):
    started = time.monotonic()
    result, responder = run(tmp_path, visitor("HttpUser", "between(60, 90)"))
    assert time.monotonic() - started < 20
    assert len(result.of("GET /")) == responder.seen["/"] == 2


@pytest.mark.alone
def test_a_task_with_many_requests_is_cut_off_at_the_end(tmp_path):
    endless = HOME.replace("        self", "        while True: self")
    result, responder = run(tmp_path, visitor("HttpUser", body=endless), {"/": after(0.01)})
    assert result.kinds("GET /") == {Kind.OK: responder.seen["/"]}
    assert result.of("GET /")["start"].max() < result.done.window[1] + 0.1


def test_the_drain_counts_late_answers_and_missing_ones(tmp_path):
    both = HOME.replace('"/"', '"/late"') + '        self.client.get("/never")\n'
    behaviours = {"/late": after(0.5), "/never": after(3.0)}
    text = visitor("HttpUser", body=both)
    result, _ = run(tmp_path, text, behaviours, duration_s=0.7, drain_s=0.5)
    assert result.kinds("GET /late") == {Kind.OK: 2}
    assert result.kinds("GET /never") == {Kind.UNFINISHED: 2}


NEEDED = """
@events.init_command_line_parser.add_listener
def _(parser):
    parser.add_argument("--needed", required=True)
"""
SHAPE = """
from locust import LoadTestShape
class Stages(LoadTestShape):
    def tick(self): return None
"""


def test_a_locustfile_that_cannot_run_is_told_in_one_sentence(golden, tmp_path):
    def refused(text):
        with Responder() as responder:
            try:
                load(tmp_path, a_job(responder, locustfile=written(tmp_path, text)))
            finally:
                assert not responder.seen

    golden.cases(refused, refuses=LoadError, replace={re.escape(str(tmp_path)): "FOLDER"})


def test_a_locustfile_that_is_not_there(tmp_path):
    with Responder() as responder, pytest.raises(LoadError, match=r"There is no locustfile .*gone"):
        load(tmp_path, a_job(responder, locustfile=str(tmp_path / "gone.py")))
