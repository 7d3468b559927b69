import sys
from pathlib import Path

from django.apps import AppConfig

from benchsuite.system import interrupts

COMMANDS = Path(__file__).parent / "management" / "commands"

if any(one.stem in sys.argv[1:2] for one in COMMANDS.glob("*.py")):
    interrupts.hook()  # all that is imported for a command takes a second or more


class BenchsuiteConfig(AppConfig):
    name = "benchsuite"
    verbose_name = "Benchmarks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from benchsuite import checks  # noqa: F401 - registers them
