"""A throw-away Cassandra of one node, out of a folder of jars that Maven filled."""

import json
import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchsuite.servers.base import Available
from benchsuite.services.base import HOST, Service
from benchsuite.system.account import can_read, unprivileged
from benchsuite.system.network import free_port

JARS = "CASSANDRA_JARS"  #: The variable that names the folder.
KEYSPACE = "benchsuite_surveys"
HEAP = "512m"
LISTENS = "Starting listening for CQL clients"
EXPORTS = """
java.base/jdk.internal.misc java.base/jdk.internal.ref java.base/sun.nio.ch java.sql/java.sql
java.management.rmi/com.sun.jmx.remote.internal.rmi java.rmi/sun.rmi.registry
java.rmi/sun.rmi.server java.rmi/sun.rmi.transport.tcp jdk.unsupported/sun.misc
"""
OPENS = """
java.base/java.io java.base/java.lang java.base/java.lang.module java.base/java.nio
java.base/java.util java.base/java.util.concurrent java.base/java.util.concurrent.atomic
java.base/jdk.internal.loader java.base/jdk.internal.math java.base/jdk.internal.module
java.base/jdk.internal.ref java.base/jdk.internal.reflect java.base/jdk.internal.util.jar
java.base/sun.nio.ch jdk.management/com.sun.management.internal
"""


@dataclass(kw_only=True, eq=False, repr=False)
class Cassandra(Service):
    """It waits for no disk: commits are written every 10 s, Cassandra's default."""

    name = "cassandra"
    title = "Cassandra"
    programs = ("java",)
    package = "openjdk-17-jre-headless"
    foreign = ("CASSANDRA_", "JAVA_", "JDK_JAVA_")
    grace_s = 30.0
    ready_s = 120.0

    @property
    def url(self) -> str:
        return f"cassandra://{HOST}:{self.port}/{KEYSPACE}"

    @classmethod
    def available(cls) -> Available:
        if (folder := jars()) is None:
            return super().available() & Available(
                False,
                f"{JARS} names no folder of its jars",
                "mvn dependency:copy-dependencies (docs/services.md)",
            )
        if not can_read(folder, account := unprivileged()):
            return Available(False, f"{account} may not read {folder}", f"chmod -R o+rX {folder}")
        return super().available()

    def config_files(self) -> Mapping[str, str]:
        """JSON, which is YAML, too."""
        storage = free_port(HOST)
        own = ("commitlog", "saved_caches", "hints", "cdc_raw")
        seeds = [{"seeds": f"{HOST}:{storage}"}]
        provider = "org.apache.cassandra.locator.SimpleSeedProvider"
        content = {
            "cluster_name": self.marker,
            "num_tokens": 1,
            "partitioner": "org.apache.cassandra.dht.Murmur3Partitioner",
            "commitlog_sync": "periodic",
            "commitlog_sync_period": "10000ms",
            "commitlog_segment_size": "32MiB",
            **{f"{name}_directory": str(self.folder / name) for name in own},
            "data_file_directories": [str(self.folder / "data")],
            "endpoint_snitch": "SimpleSnitch",
            "seed_provider": [{"class_name": provider, "parameters": seeds}],
            "listen_address": HOST,
            "rpc_address": HOST,
            "storage_port": storage,
            "native_transport_port": self.port,
            "authenticator": "AllowAllAuthenticator",
            "authorizer": "AllowAllAuthorizer",
        }
        return {"cassandra.yaml": json.dumps(content, indent=1)}

    def argv(self) -> Sequence[str]:
        folder = jars()
        assert folder is not None
        words = [str(self.program()), f"-Xmx{HEAP}", "-XX:-UsePerfData"]
        words += [f"-javaagent:{agent}" for agent in folder.glob("jamm-*.jar")]
        for option, modules in (("--add-exports", EXPORTS), ("--add-opens", OPENS)):
            for module in modules.split():
                words += [option, f"{module}=ALL-UNNAMED"]
        return [
            *words,
            f"-Djava.io.tmpdir={self.folder}",
            f"-Dcassandra.config={(self.folder / 'cassandra.yaml').as_uri()}",
            f"-Dcassandra.storagedir={self.folder}",
            "-Dcassandra.skip_wait_for_gossip_to_settle=0",
            "-Dcassandra.ring_delay_ms=1000",
            "-Dcassandra-foreground=yes",
            *("-cp", f"{folder}/*", "org.apache.cassandra.service.CassandraDaemon"),
        ]

    def answers(self) -> bool:
        """By its own log: another Cassandra's port would answer, too."""
        if LISTENS not in (self.folder / f"{self.name}.log").read_text(errors="replace"):
            return False
        with suppress(OSError), socket.create_connection((HOST, self.port or 0), timeout=5):
            return True
        return False

    def learn(self) -> None:
        (jar, *_) = (jars() or Path()).glob("cassandra-all-*.jar")
        self.version = jar.stem.removeprefix("cassandra-all-")
        self.settings = {"commitlog_sync": "periodic, 10 s", "heap": HEAP}


def jars() -> Path | None:
    """The folder of Cassandra's jars; None where there is none."""
    named = os.environ.get(JARS)
    folder = Path(named).resolve() if named else None
    return folder if folder and any(folder.glob("cassandra-all-*.jar")) else None
