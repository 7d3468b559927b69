"""A private, throw-away Cassandra out of a folder of jars."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchsuite.system.ports import free_port
from benchsuite.system.starting import running

JARS = os.environ.get("CASSANDRA_JARS", "")
START_S = 120.0
CONFIGURATION = """
cluster_name: tests
num_tokens: 1
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
commitlog_sync: periodic
commitlog_sync_period: 10000ms
commitlog_segment_size: 32MiB
commitlog_directory: {folder}/commitlog
data_file_directories: [{folder}/data]
saved_caches_directory: {folder}/saved_caches
hints_directory: {folder}/hints
cdc_raw_directory: {folder}/cdc
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{{seeds: "127.0.0.1:{storage}"}}]
listen_address: 127.0.0.1
rpc_address: 127.0.0.1
storage_port: {storage}
native_transport_port: {port}
authenticator: AllowAllAuthenticator
authorizer: AllowAllAuthorizer
"""
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


@contextmanager
def cassandra() -> Iterator[int]:
    """Its port; it takes about twenty seconds to start."""
    with tempfile.TemporaryDirectory(prefix="benchsuite-cassandra-") as name:
        folder, port = Path(name), free_port()
        text = CONFIGURATION.format(folder=folder, storage=free_port(), port=port)
        (folder / "cassandra.yaml").write_text(text)
        log = folder / "log"
        env = {**os.environ, "BENCHSUITE_RUN": folder.name}
        with running(
            command(folder), name="cassandra", log=log, env=env, marker=folder.name, grace_s=30
        ) as process:
            deadline = time.monotonic() + START_S
            while "Starting listening for CQL clients" not in log.read_text(errors="replace"):
                assert process.poll() is None, process.log_tail()
                assert time.monotonic() < deadline, process.log_tail()
                time.sleep(0.25)
            yield port


def command(folder: Path) -> list[str]:
    jars = Path(JARS).resolve()
    (agent,) = jars.glob("jamm-*.jar")
    words = ["java", "-Xmx512m", f"-javaagent:{agent}", f"-Djava.io.tmpdir={folder}"]
    for option, modules in (("--add-exports", EXPORTS), ("--add-opens", OPENS)):
        for module in modules.split():
            words += [option, f"{module}=ALL-UNNAMED"]
    return [
        *words,
        f"-Dcassandra.config=file://{folder}/cassandra.yaml",
        f"-Dcassandra.storagedir={folder}",
        "-Dcassandra.skip_wait_for_gossip_to_settle=0",
        "-Dcassandra.ring_delay_ms=1000",
        "-Dcassandra-foreground=yes",
        *("-cp", f"{jars}/*", "org.apache.cassandra.service.CassandraDaemon"),
    ]
