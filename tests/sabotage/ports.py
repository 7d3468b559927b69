"""A network of its own for a run, in which there are few ports to connect from."""

import subprocess
import sys

PORTS = 32

PROGRAM = f"""
import fcntl, os, socket, struct, sys
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
with socket.socket() as any_socket:
    fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", IFF_UP))
with open("/proc/sys/net/ipv4/ip_local_port_range", "w") as file:
    file.write("40000 {40000 + PORTS - 1}")
os.execvp(sys.argv[1], sys.argv[1:])
"""

FEW_PORTS = ("unshare", "--map-root-user", "--net", sys.executable, "-S", "-c", PROGRAM)
"""What a command is started with."""


def permitted() -> bool:
    """Whether this user may have a network of their own."""
    return subprocess.run([*FEW_PORTS, "true"], capture_output=True, check=False).returncode == 0
