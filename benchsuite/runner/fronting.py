"""The front of a run: before instances that are up, or one that runs the instances itself."""

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

from benchsuite.core.exceptions import UsageError
from benchsuite.fronts.base import INSIDE, Address, FrontAdapter, FrontPlace, Instances, StaticFiles
from benchsuite.fronts.starting import front
from benchsuite.isolation.facts import Facts
from benchsuite.runner.plan import Plan
from benchsuite.runner.running_system import FRONT, TARGET, RunningSystem
from benchsuite.servers.base import ServerAdapter
from benchsuite.system.process import any_program

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def fronted(
    stack: ExitStack,
    found: RunningSystem,
    *,
    plan: Plan,
    facts: Facts,
    folder: Path,
    token: str,
    address: Address,
    upstreams: Sequence[Address],
    instances: Instances | None = None,
) -> FrontAdapter:
    """Starts the front on that address; instances that it runs are the target's part."""
    static = None
    if facts.static_url and facts.static_root:
        static = StaticFiles(url=facts.static_url, root=Path(facts.static_root))
    place = FrontPlace(folder=folder, static=static, token=token, instances=instances)
    adapter = plan.front_at(place)
    host, port = address
    process = stack.enter_context(
        front(
            adapter,
            upstreams,
            host=host,
            port=port,
            log=folder.with_suffix(".log"),
            env=any_program(),
            marker=token,
            on_cpus=plan.spec.server.cpus,
        )
    )
    found.add(TARGET if adapter.runs_instances else FRONT, process, adapter.version())
    return adapter


def replicas(
    adapter: ServerAdapter,
    *,
    facts: Facts,
    env: Mapping[str, str],
    folder: Path,
    urls: Collection[str],
) -> Instances:
    """What a front that runs the instances is told of them; `urls` of services the run started.

    Raises UsageError for what could not be there: an instance has a network and files of its own.
    """
    spec = adapter.spec
    elsewhere = spec.python or spec.environment or not adapter.serves_project
    if elsewhere or adapter.config_files(*INSIDE) or adapter.companion_processes():
        raise UsageError(
            f"{spec.front} runs a server from its image with nothing beside it, and "
            f"{adapter.name} as asked wants files, programs or a Python of this machine; take "
            "another server, or --front=nginx."
        )
    hosts = [urlsplit(url).hostname for url in urls]
    if facts.database_address is not None:
        hosts.append(facts.database_address[0])
    if set(hosts) & set(LOOPBACK):
        raise UsageError(
            f"An instance of {spec.front} has a network of its own, in which it would not find "
            "a database or Redis of this machine; leave --database=postgresql out, add "
            "--layer-by=unix, or name what is reached over the network."
        )
    own = {name: value for name, value in env.items() if os.environ.get(name) != value}
    own.pop("PYTHONPATH", None)
    return Instances(
        count=spec.instances,
        argv=adapter.argv(*INSIDE),
        env=own,
        folders=[folder, *_configuration(adapter.argv(*INSIDE))],
        cpus=spec.cpus or (),
    )


def _configuration(argv: Sequence[str]) -> list[Path]:
    """Folders of files on the command line, such as our neutral configuration of gunicorn."""
    files = [Path(word) for word in argv[1:] if word.startswith("/")]
    return [path.parent for path in files if path.is_file()]
