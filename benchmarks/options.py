"""Prints the tables of docs/options.md, with DJANGO_SETTINGS_MODULE set."""

import sys
from collections.abc import Sequence

import django

from benchsuite.core.specs.spec import Entry


def markdown(entries: Sequence[Entry]) -> str:
    """The table in the docs: under each heading its options."""
    from benchsuite.management.options.parsing import both, help_of

    groups: dict[str, list[str]] = {}
    for entry in entries:
        opposite = f", `--no-{entry.name}`" * both(entry)
        flag, words = (text.replace("|", "\\|") for text in (entry.flag, help_of(entry)))
        groups.setdefault(entry.group, []).append(f"| `{flag}`{opposite} | {words} |\n")
    return "\n".join(
        f"## {group}\n\n| option | what it says |\n|---|---|\n{''.join(rows)}"
        for group, rows in groups.items()
    )


if __name__ == "__main__":
    django.setup()
    from benchsuite.management.options import run, tune

    sys.stdout.write(markdown(run.EVERY) + "\n" + markdown(tune.OWN))
