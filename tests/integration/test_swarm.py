"""Replicas in a swarm of a test's own; only the routing mesh needs a kernel with IPVS."""

import signal
import subprocess
from functools import partial

import psutil
import pytest

from benchsuite.fronts.base import FrontPlace, Instances
from benchsuite.fronts.swarm import IPVS, STACK, Swarm
from tests.integration.command import SHORT, measured
from tests.integration.engine import IMAGE, engine, import_image
from tests.integration.left_behind import eventually
from tests.needs import needs

pytestmark = [pytest.mark.alone, needs("dockerd", "own-mounts")]

FRONT = ("--front=swarm", f"--front-option=image={IMAGE}", "--workload=io_read")


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with engine() as made:
        import_image(made, tmp_path_factory.mktemp("image"))
        yield made


@pytest.fixture
def swarming(running, command):
    """A command that finds the engine."""
    command.program = (*running.inside, *command.program)
    command.env["DOCKER_HOST"] = running.address
    return command


def stacks(running):
    """What is there of any run."""
    kinds = (("service", "ls"), ("ps", "--all"), ("network", "ls"))
    label = "--filter=label=com.docker.stack.namespace"
    return [line for kind in kinds for line in running.docker(*kind, "-q", label).splitlines()]


def test_a_replica_is_measured_on_its_own_port(running, swarming):
    run = measured(swarming, "--server=uvicorn", *FRONT, "--front-option=publish=host")
    assert run["failures"] == 0
    assert run["requests"] > 10
    assert [program["part"] for program in run["programs"]] == ["target"]
    assert stacks(running) == []


def test_more_replicas_are_measured_where_the_kernel_has_the_mesh(running, swarming):
    words = ("--server=uvicorn", "--instances=2", *FRONT)
    if IPVS.exists():
        assert measured(swarming, *words)["failures"] == 0
    else:
        ended = swarming.run("runbench", *SHORT, *words)
        assert ended.status != 0
        assert "swarm can't balance 2 instances with publish=host" in ended.err
        assert "▶" not in ended.out, "said before the run"
    assert stacks(running) == []


def test_replicas_behind_the_mesh_all_run_and_are_removed(running, swarming, tmp_path):
    """Also without IPVS, where nothing would lead to them."""
    served = "import signal; signal.signal(15, lambda *_: exit()); import http.server as s; "
    served += "s.HTTPServer(('', 8000), s.SimpleHTTPRequestHandler).serve_forever()"
    asked = Instances(count=2, argv=["python", "-c", served], env={}, folders=())
    place = FrontPlace(folder=tmp_path, token="a-test-of-a-mesh", instances=asked)
    front = Swarm({"image": IMAGE, "publish": "ingress"}, place)
    (tmp_path / STACK).write_text(front.config_files("127.0.0.1", 8123, ())[STACK])
    with subprocess.Popen([*running.inside, *front.argv()], env=swarming.env) as keeper:
        names: list[str] = []

        def both():
            names[:] = running.docker("ps", "--format={{.ID}}", "--filter=status=running").split()
            return len(names) == 2

        try:
            assert eventually(both, within_s=90)
            assert all(eventually(partial(answers, running, name)) for name in names)
        finally:
            keeper.send_signal(signal.SIGTERM)
    assert keeper.returncode == 0
    assert stacks(running) == []


def answers(running, name):
    """Whether a replica does, asked from within."""
    ask = "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/')"
    try:
        running.docker("exec", name, "python", "-c", ask)
    except subprocess.CalledProcessError:
        return False
    return True


def test_a_replica_that_does_not_start_is_told(running, swarming):
    """An image with nothing in it has no Python either."""
    empty = "benchsuite-test-empty:1"
    subprocess.run(
        ["docker", "--host", running.address, "import", "-", empty],
        input=b"\0" * 1024,
        capture_output=True,
        check=True,
    )
    image = f"--front-option=image={empty}"
    ended = swarming.run("runbench", *SHORT, "--server=uvicorn", "--front=swarm", image)
    assert ended.status != 0
    assert "a replica ended: " in ended.err
    assert "executable file not found" in ended.err
    assert stacks(running) == []


def test_a_run_that_is_killed_leaves_no_stack(running, swarming):
    with swarming.start("runbench", "--server=uvicorn", *FRONT, "--duration=60") as process:
        assert eventually(lambda: stacks(running) != [])
        process.send_signal(signal.SIGKILL)
    assert eventually(lambda: stacks(running) == [], within_s=60), stacks(running)
    assert eventually(lambda: asking(running) == [], within_s=60), asking(running)


def asking(running):
    """The processes that find this engine, such as the one that removes a stack."""
    processes = ((one.pid, one.info["environ"]) for one in psutil.process_iter(["environ"]))
    return [pid for pid, env in processes if env and env.get("DOCKER_HOST") == running.address]
