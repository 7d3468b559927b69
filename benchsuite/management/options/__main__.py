"""Prints the tables of docs/options.md, with DJANGO_SETTINGS_MODULE set."""

import sys

import django

if __name__ == "__main__":
    django.setup()
    from benchsuite.management.options import run, table, tune

    sys.stdout.write(table.markdown(run.EVERY) + "\n" + table.markdown(tune.OWN))
