"""Docker Swarm; see docs.docker.com/engine/swarm. The engine and its swarm are the user's own.

    python -m benchsuite.fronts.swarm STACK.yaml NAME

deploys the stack, waits, and removes it when told to end. The errors of a replica that fails to
start are printed, with exit status 1.

    python -m benchsuite.fronts.swarm NAME

waits for the end of its standard input, then removes the stack of that name. Like the reaper it
stands outside the run, so that it survives when the processes of a killed run are ended.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.plain import leaves
from benchsuite.fronts.base import INSIDE, Address, FrontAdapter
from benchsuite.servers.base import Available
from benchsuite.system import lock, programs
from benchsuite.system.procfs import PART_VARIABLE, RUN_VARIABLE
from benchsuite.system.tree import Mark, limited
from benchsuite.telemetry.prober.answer import NotAnswered, ask

STACK = "stack.yaml"

AUTO, INGRESS, HOST = "auto", "ingress", "host"
IPVS = Path("/proc/net/ip_vs")  #: Exists when the kernel has IPVS, which the routing mesh needs.

OWNER_LABEL = "benchsuite.owner"  #: Says which process a stack belongs to.
SERVICE = "web"
REMOVE_S = 40.0
AGAIN_S = 1.0  #: Between two removals: parts that were being created may appear after the first.
START_S = 300.0  #: An engine takes minutes to give up on a silent registry.
ENDING = (signal.SIGTERM, signal.SIGINT)


class Swarm(FrontAdapter):
    """Replicas of an image as one stack; the routing mesh distributes connections."""

    name = "swarm"
    runs_instances = True
    as_ourselves = True  # who may speak to the engine is the user's choice
    grace_s = 60.0
    ready_timeout_s = 300.0  # it takes minutes to give up on a registry that does not answer
    options = {"image": "", "publish": AUTO}
    limits = {"publish": (AUTO, INGRESS, HOST)}

    def argv(self) -> list[str]:
        stack = f"benchsuite-{self.place.token[:12]}"
        module = [sys.executable, "-m", "benchsuite.fronts.swarm"]
        return [*module, str(self.place.folder / STACK), stack]

    def config_files(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, str]:
        """The stack; JSON is YAML too. A bare `$` would start a variable."""
        stack = leaves(self._stack(port), lambda text: text.replace("$", "$$"))
        return {STACK: json.dumps(stack, indent=2, ensure_ascii=False)}

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
        version = _engine().get("ServerVersion")
        return str(version) if version else None

    @classmethod
    def available(cls) -> Available:
        if programs.find_program("docker") is None:
            return Available(False, "docker is not installed", "apt install docker.io")
        engine = _engine()
        if not engine.get("ServerVersion"):
            return Available(False, "no Docker engine answers", "systemctl start docker")
        swarm = engine.get("Swarm") or {}
        if swarm.get("LocalNodeState") != "active" or not swarm.get("ControlAvailable"):
            command = "docker swarm init --advertise-addr 127.0.0.1"
            return Available(False, "this Docker engine is no manager of a swarm", command)
        return Available(True)

    def _publish(self) -> str:
        asked = str(self.settings["publish"])
        return (INGRESS if IPVS.exists() else HOST) if asked == AUTO else asked

    def _stack(self, port: int) -> Mapping[str, Any]:
        asked, publish = self.place.instances, self._publish()
        assert asked is not None
        first, *words = asked.argv
        pinned = ["taskset", "-c", ",".join(map(str, asked.cpus))] if asked.cpus else []
        service = {
            "image": self.settings["image"],
            # The image has its own interpreter of the same name.
            "command": [*pinned, Path(first).name, *words],
            "environment": dict(asked.env),
            "volumes": [
                {"type": "bind", "source": path, "target": path, "read_only": number > 0}
                for number, path in enumerate(map(str, asked.folders))
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


def _engine() -> Mapping[str, Any]:
    """The engine's information about itself; empty when none answers."""
    try:
        facts = json.loads(_docker("info", "--format", "{{json .}}") or "null")
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}


def _docker(*arguments: str) -> str | None:
    """The output of docker; None when it fails."""
    with suppress(DockerError):
        return docker(*arguments)
    return None


class DockerError(Exception):
    """The error message of docker."""


def docker(*arguments: str, timeout_s: float = programs.ASK_S) -> str:
    """The output of docker; raises DockerError when it fails or takes longer."""
    try:
        program = programs.find_program("docker") or "docker"
        done = programs.asked(program, *arguments, stderr=subprocess.PIPE, limit_s=timeout_s)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DockerError(str(error)) from error
    if done.returncode != 0:
        complaint = done.stderr.decode(errors="replace").strip()
        raise DockerError(complaint or f"docker {' '.join(arguments)} failed")
    return done.stdout.decode(errors="replace")


def remover(stack: str) -> tuple[IO[bytes], IO[bytes]]:
    """Starts what removes a stack when the first pipe ends, however we do; then the second ends."""
    ours = (PART_VARIABLE, RUN_VARIABLE)
    with limited(Mark(run="")):  # not the run's, with whose processes it would be ended
        child = subprocess.Popen(
            ["setsid", "--fork", sys.executable, "-m", "benchsuite.fronts.swarm", stack],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name not in ours},
        )
    child.wait()
    assert child.stdin is not None
    assert child.stdout is not None
    return child.stdin, child.stdout


def remove(stack: str) -> None:
    """Removes a stack and waits up to `REMOVE_S` until nothing of it is left."""
    mine = ("--quiet", "--filter", f"label=com.docker.stack.namespace={stack}")
    kinds = (["service", "ls"], ["ps", "--all"], ["network", "ls"])
    deadline = time.monotonic() + REMOVE_S
    while time.monotonic() < deadline:
        _docker("stack", "rm", stack)
        time.sleep(AGAIN_S)
        outputs = [_docker(*kind, *mine) for kind in kinds]
        if not any(output is None or output.strip() for output in outputs):
            return


def sweep() -> None:
    """Removes the stacks of runs that ended without doing so."""
    names = docker("service", "ls", "--quiet", "--filter", f"label={OWNER_LABEL}").split()
    if not names:
        return
    form = f'{{{{.Spec.Name}}}}|{{{{index .Spec.Labels "{OWNER_LABEL}"}}}}'
    for line in docker("service", "inspect", "--format", form, *names).splitlines():
        name, _, whose = line.partition("|")
        if lock.has_ended(whose):
            remove(name.removesuffix(f"_{SERVICE}"))


def main(arguments: Sequence[str]) -> None:
    *paths, stack = arguments
    if not paths:
        sys.stdin.buffer.read()
        remove(stack)
        return
    removal, removed = remover(stack)
    for signum in ENDING:
        signal.signal(signum, signal.default_int_handler)
    try:
        sweep()
        problem = _watch(f"{stack}_{SERVICE}", _deploy(Path(paths[0]), stack))
    except DockerError as error:
        problem = str(error)
    except KeyboardInterrupt:
        problem = ""
    for signum in ENDING:
        signal.signal(signum, signal.SIG_IGN)
    removal.close()
    if not select.select([removed], [], [], REMOVE_S)[0]:
        problem = problem or f"the stack {stack} is not gone after {REMOVE_S:g} s"
    removed.close()
    sys.exit(problem or 0)


def _deploy(path: Path, stack: str) -> int:
    """Deploys the stack with the marks by which it and its processes are found; its port."""
    content = json.loads(path.read_text(encoding="utf-8"))
    service = content["services"][SERVICE]
    service["environment"][PART_VARIABLE] = os.environ.get(PART_VARIABLE, "")
    service["deploy"]["labels"] = {OWNER_LABEL: lock.owner_name()}
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False), encoding="utf-8")
    deploy = ["stack", "deploy", "--resolve-image", "never", "--compose-file", str(path), stack]
    docker(*deploy, timeout_s=60.0)
    return int(service["ports"][0]["published"])


def _watch(service: str, port: int) -> str:
    """Waits until all replicas run and one answers, then for the end, asking Docker nothing while
    they are measured; returns the error otherwise.
    """
    deadline = time.monotonic() + START_S
    form = "{{.CurrentState}}|{{.Error}}"
    while time.monotonic() < deadline:
        lines = docker("service", "ps", "--no-trunc", "--format", form, service).splitlines()
        for line in lines:
            state, _, error = line.partition("|")
            if state.startswith(("Failed", "Rejected", "Complete", "Shutdown")):
                tail = _docker("service", "logs", "--raw", "--tail", "20", service) or ""
                return f"{tail}\na replica ended: {state} ({error or 'no error message'})"
        if lines and all(line.startswith("Running") for line in lines) and _answers(port):
            while True:
                signal.pause()
        time.sleep(0.5)
    return f"not all replicas run and answer after {START_S:g} s"


def _answers(port: int) -> bool:
    """Whether HTTP comes back; Docker's own proxy accepts connections before its replica does."""
    with suppress(NotAnswered):
        ask(f"http://127.0.0.1:{port}/", timeout_s=2.0)
        return True
    return False


if __name__ == "__main__":
    main(sys.argv[1:])
