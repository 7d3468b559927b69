"""What a front is told of the instances that it runs itself."""

import os
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from benchsuite.core.specs import ServerSpec
from benchsuite.isolation.facts import Facts
from benchsuite.runner.assembly import Assembly
from benchsuite.servers.base import Application, Place, ServerAdapter

FACTS = Facts(database_address=None)
SPEC = ServerSpec(server="plain-server", front="swarm", instances=3, cpus=(1,))


class Plain(ServerAdapter):
    name = "plain-server"
    interface = "wsgi"
    distribution = "plainserver"

    def argv(self, host, port):
        return ["/usr/bin/plain", f"{host}:{port}", "--config", __file__, "--log", "/no/such"]

    def _check(self):
        """Nothing to refuse."""


class WithFiles(Plain):
    def config_files(self, host, port):
        return {"plain.ini": "[plain]"}


class WithWorkers(Plain):
    def companion_processes(self):
        return {"worker": ["plain-worker"]}


def asked(adapter=Plain, spec=SPEC, facts=FACTS, url="unix:///tmp/run/redis.sock"):
    plan = SimpleNamespace(
        spec=SimpleNamespace(server=spec),
        server_at=lambda *_: adapter(spec, Application(), Place()),
    )
    assembly = Assembly(
        plan=plan,
        folder=Path("/tmp/run/target"),
        token="t0ken",
        clone=nullcontext,
        facts=facts,
        services={"redis": url},
    )
    env = {**os.environ, "BENCHSUITE_RUN": "t0ken", "PYTHONPATH": "/mine"}
    with patch.object(Assembly, "environment", lambda *_: env):
        return assembly.replicas()


def test_values(golden):
    golden.values()
