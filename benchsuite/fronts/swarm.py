"""Docker Swarm; see docs.docker.com/engine/swarm. The engine and its swarm are the user's own."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import Option
from benchsuite.fronts.base import INSIDE, Address, FrontAdapter, FrontPlace
from benchsuite.fronts.stacks import SERVICE, DockerError, docker
from benchsuite.servers.base import Available
from benchsuite.system import programs

STACK = "stack.yaml"

AUTO, INGRESS, HOST = "auto", "ingress", "host"
IPVS = Path("/proc/net/ip_vs")  #: Exists when the kernel has IPVS, which the routing mesh needs.

INIT = "docker swarm init --advertise-addr 127.0.0.1"


class Swarm(FrontAdapter):
    """Replicas of an image as one stack; the routing mesh distributes connections."""

    name = "swarm"
    runs_instances = True
    grace_s = 60.0
    ready_timeout_s = 300.0  # it takes minutes to give up on a registry that does not answer
    options = {"image": "", "publish": AUTO}
    limits = {"publish": (AUTO, INGRESS, HOST)}

    def __init__(self, options: Mapping[str, Option], place: FrontPlace | None = None) -> None:
        super().__init__(options, place)
        self.run_as = ""  # who may speak to the engine is the user's choice

    @property
    def stack(self) -> str:
        """The stack's name, unique to this run."""
        return f"benchsuite-{self.place.token[:12]}"

    def argv(self) -> list[str]:
        module = [sys.executable, "-m", "benchsuite.fronts.stacks"]
        return [*module, str(self.place.folder / STACK), self.stack]

    def config_files(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, str]:
        """The stack; JSON is YAML too."""
        return {STACK: json.dumps(_literal(self._stack(port)), indent=2, ensure_ascii=False)}

    def expected_processes(self) -> int:
        return 1

    def ensure_possible(self, instances: int) -> None:
        super().ensure_possible(instances)
        image = str(self.settings["image"])
        if not image:
            raise UsageError(
                "swarm needs an image with the project, its servers and benchsuite; build one as "
                "deploy/swarm/Dockerfile shows, and add --front-option image=NAME."
            )
        if _docker("image", "inspect", image) is None:
            raise UnavailableError(
                f"swarm finds no image {image} on this engine; build it: docker build -f "
                f"deploy/swarm/Dockerfile -t {image} ."
            )
        if self.settings["publish"] == INGRESS and not IPVS.exists():
            raise UnavailableError(
                f"publish=ingress needs a kernel with IPVS, and {IPVS} is missing; load it with "
                "modprobe ip_vs, add --front-option publish=host for one instance, or take "
                "--front=nginx for more."
            )
        if self._publish() == HOST and instances > 1:
            raise UnavailableError(
                f"swarm can't balance {instances} instances with publish=host, where each has its "
                "own port; take --instances=1, --front=nginx, or publish=ingress on a kernel with "
                "IPVS."
            )

    @classmethod
    def version(cls) -> str | None:
        engine = _engine()
        return str(engine["ServerVersion"]) if engine and engine.get("ServerVersion") else None

    @classmethod
    def available(cls) -> Available:
        if programs.find_program("docker") is None:
            return Available(False, "docker is not installed", "apt install docker.io")
        engine = _engine()
        if not engine or not engine.get("ServerVersion"):
            return Available(False, "no Docker engine answers", "systemctl start docker")
        swarm = engine.get("Swarm") or {}
        if swarm.get("LocalNodeState") != "active" or not swarm.get("ControlAvailable"):
            return Available(False, "this Docker engine is no manager of a swarm", INIT)
        return Available(True)

    def _publish(self) -> str:
        if self.settings["publish"] == AUTO:
            return INGRESS if IPVS.exists() else HOST
        return str(self.settings["publish"])

    def _stack(self, port: int) -> Mapping[str, Any]:
        asked = self.place.instances
        assert asked is not None
        publish = self._publish()
        first, *words = asked.argv
        pinned = ["taskset", "-c", ",".join(map(str, asked.cpus))] if asked.cpus else []
        service = {
            "image": self.settings["image"],
            # The image has its own interpreter of the same name.
            "command": [*pinned, Path(first).name, *words],
            "environment": dict(asked.env),
            "volumes": [
                {"type": "bind", "source": str(one), "target": str(one), "read_only": number > 0}
                for number, one in enumerate(asked.folders)
            ],
            "ports": [{"target": INSIDE[1], "published": port, "mode": publish}],
            "deploy": {
                "replicas": asked.count,
                "endpoint_mode": "vip" if publish == INGRESS else "dnsrr",
                # A replica that ends fails the run and is not replaced.
                "restart_policy": {"condition": "none"},
            },
        }
        return {"version": "3.8", "services": {SERVICE: service}}


def _literal(value: Any) -> Any:
    """The same with each `$` in strings escaped, so that it starts no variable."""
    if isinstance(value, Mapping):
        return {key: _literal(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_literal(one) for one in value]
    return value.replace("$", "$$") if isinstance(value, str) else value


def _engine() -> Mapping[str, Any] | None:
    """The engine's information about itself; None when none answers."""
    output = _docker("info", "--format", "{{json .}}")
    try:
        facts = json.loads(output or "null")
    except ValueError:
        return None
    return facts if isinstance(facts, dict) else None


def _docker(*arguments: str) -> str | None:
    """The output of docker; None when it fails."""
    try:
        return docker(*arguments)
    except DockerError:
        return None
