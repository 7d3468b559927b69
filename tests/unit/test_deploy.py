"""The samples of deploy/ are what their first lines say measures the same.

Whether programs take them is seen in tests/integration/test_deploy.py.
"""

import re
from importlib import import_module
from pathlib import Path

import pytest

from benchsuite.fronts import BUILTIN as FRONTS
from benchsuite.servers import BUILTIN as SERVERS
from benchsuite.servers.base import Application, ServerAdapter
from tests.samples import DEPLOY, SOCKETS, command_lines, document, measured_by, sections, spec

APPLICATION = Application(wsgi="shop.wsgi:application", asgi="shop.asgi:application")
FILES = [
    path
    for path in sorted(DEPLOY.rglob("*"))
    if path.is_file() and "heritage" not in path.relative_to(DEPLOY).parts and measured_by(path)
]

ELSEWHERE = {"--bind", "--config", "--fd", "--host", "--port", "-e", "--worker-tmp-dir"}
"""Where it listens and which files it reads is the deployment's own."""


def adapter(options):
    """The server of the run; under Circus, which only opens the socket, the one that it starts."""
    asked = spec(options.replace("circus-daphne --processes=4", "daphne")).server
    module, _, name = SERVERS[asked.server].rpartition(".")
    found: type[ServerAdapter] = getattr(import_module(module), name)
    return found(asked, APPLICATION)


def settings(words):
    """Flags with their values, in one form, without those of `ELSEWHERE`."""
    text = " ".join(words)
    found = {flag.replace("=", " ") for flag in re.findall(r"--?\w[\w-]*(?:[= ][^-\s]\S*)?", text)}
    return {one for one in found if one.split()[0] not in ELSEWHERE}


@pytest.mark.parametrize(
    ("path", "words"),
    [pytest.param(path, words, id=name) for name, path, words in command_lines()],
)
def test_a_command_line_is_the_measured_one(path, words):
    program = Path(words[0]).name
    asked = [one for one in measured_by(path) if program in one]
    assert len(asked) == 1, f"which run measures {words}?"
    argv = adapter(asked[0]).argv("127.0.0.1", 8000)
    argv = argv[next(at for at, word in enumerate(argv) if Path(word).name == program) + 1 :]
    assert settings(words[1:]) == settings(argv)
    assert {"shop.wsgi:application", "shop.asgi:application"} & set(words)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_measures_it_is_known_to_runbench(path):
    for options in measured_by(path):
        asked = spec(options).server
        assert asked.server in SERVERS
        assert asked.front in ("", *FRONTS)


def test_sockets_have_the_backlog_of_the_servers_and_a_service_each():
    for path in SOCKETS:
        assert sections(path)["Socket"]["Backlog"] == "2048"
        service = path.with_suffix(".service")
        wanted = path.name.replace("@", "@%i")
        assert sections(service)["Unit"]["Requires"] == wanted


@pytest.mark.parametrize("name", ["nginx/shop.conf", "haproxy/haproxy.cfg"])
def test_fronts_have_as_many_instances_as_the_run(name):
    path = DEPLOY / name
    (options,) = measured_by(path)
    instances = re.findall(r"^ *server .*127\.0\.0\.1:(\d+)", path.read_text(), re.MULTILINE)
    assert len(set(instances)) == spec(options).server.instances


def test_compose_has_the_parts_of_the_run():
    path = DEPLOY / "compose.yaml"
    asked = spec(measured_by(path)[0])
    services = document(path)["services"]
    stack = document(DEPLOY / "swarm" / "stack.yaml")["services"]
    assert services["web"]["deploy"]["replicas"] == asked.server.instances
    assert services["front"]["image"].startswith(f"{asked.server.front}:")
    assert asked.database.use == "postgresql"
    assert services["database"]["image"].startswith("postgres:")
    assert services["web"]["build"]["dockerfile"] == "deploy/Dockerfile"
    assert services["web"]["image"] == stack["web"]["image"]
    for service in services.values():
        for name in service.get("depends_on", {}):
            assert "healthcheck" in services[name]


def test_values(golden):
    golden.values()
