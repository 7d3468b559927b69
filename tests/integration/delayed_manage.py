"""manage.py in a network of its own, on a kernel that seems to have netem and does not delay.

unshare --map-root-user --net python -m tests.integration.delayed_manage WORDS …
"""

import os
import subprocess
import sys

from benchsuite.delay import netem
from benchsuite.servers.base import Available


def main() -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    netem.available = lambda: Available(True)
    netem.delaying = lambda device, delay_s: ["true"]
    os.environ["DJANGO_SETTINGS_MODULE"] = "testproject.settings.console"
    from django.core.management import execute_from_command_line

    execute_from_command_line(["manage.py", *sys.argv[1:]])


if __name__ == "__main__":
    main()
