"""Runs Channels' own `runworker` on the channel of the target's workers.

    python -m benchsuite.isolation.runworker

Works without the app `channels` in INSTALLED_APPS, which the project may lack.
"""

import django


def main() -> None:
    django.setup()
    from channels.management.commands.runworker import Command
    from django.core.management import call_command

    from benchsuite.target.layer import workers_channel

    call_command(Command(), workers_channel())


if __name__ == "__main__":
    main()
