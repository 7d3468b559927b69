"""nginx that answers 200 to everything: a target far faster than what is measured against it."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from secrets import token_hex
from socket import create_connection

from benchmarks.machine import pinned
from benchsuite.system.ports import free_port
from benchsuite.system.readiness import wait_until_ready
from benchsuite.system.starting import running

READY_S = 10.0

CONFIG = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} backlog=1024;
        default_type text/plain;
        location / {{ return 200 "OK"; }}
    }}
}}
"""


def program() -> str:
    """Where nginx is; Debian keeps it off the path of users."""
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")
    if found is None:
        sys.exit("This needs nginx: apt install nginx-light.")
    return found


@contextmanager
def nginx(folder: Path, *, cpu: int) -> Iterator[str]:
    """One nginx process on one CPU; its URL."""
    port, token = free_port(), token_hex(8)
    config = folder / "nginx.conf"
    config.write_text(CONFIG.format(folder=folder, port=port))
    argv = [program(), "-p", str(folder), "-c", str(config), "-e", str(folder / "nginx.log")]
    env = {**os.environ, "BENCHSUITE_RUN": token}
    with ExitStack() as stack:
        with pinned(cpu):
            process = stack.enter_context(
                running(argv, name="nginx", log=folder / "log", env=env, marker=token)
            )
        wait_until_ready(process, lambda: _accepts(port), timeout_s=READY_S)
        yield f"http://127.0.0.1:{port}/"


def _accepts(port: int) -> bool:
    try:
        create_connection(("127.0.0.1", port), timeout=1.0).close()
    except OSError:
        return False
    return True
