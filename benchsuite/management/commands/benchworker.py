"""Makes the load of a command on another machine: joins it and waits for its runs."""

import os
import sys
from pathlib import Path
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.spec import Entry
from benchsuite.load.hosts import keys
from benchsuite.load.hosts.keys import Listening
from benchsuite.management.options.parsing import BriefCommand
from benchsuite.pythons.interpreter import whole_path


class Command(BriefCommand):
    help = __doc__
    entries = (
        Entry(flag="--join HOST:PORT", help="what --listen of the other command says"),
        Entry(flag="--key-file FILE", help="the same file as that command's --key-file"),
        Entry(flag="--new-key FILE", help="write a new key and stop; copy it to all machines"),
    )
    examples = ("--new-key bench.key", "--join 10.0.0.1:5557 --key-file bench.key")

    def handle(self, **options: Any) -> None:
        join, key_file, new_key = (options[name] for name in ("join", "key_file", "new_key"))
        if new_key is not None:
            if join or key_file:
                raise UsageError("--new-key writes a key and stops: leave the others out.")
            keys.write_new(Path(new_key))
            self.stdout.write(f"A new key is in {new_key}: copy it, and show it to nobody.")
            return
        if not (join and key_file):
            raise UsageError("benchworker needs --join and --key-file, or --new-key.")
        master = Listening.at(join, key_file, flag="--join")
        # Locust patches whatever imports it, so the rest is a program of its own.
        words = [master.host, str(master.port), str(master.key_file.resolve())]
        program = [sys.executable, "-m", "benchsuite.load.hosts.worker", *words]
        self.stdout.flush()
        os.execve(sys.executable, program, {**os.environ, "PYTHONPATH": whole_path(os.environ)})
