"""What is left out where the machine can't have it, and why."""

from tests.integration.cassandra import JARS

# Cassandra is a hundred jars and a gigabyte of memory: its test is for those who ask for it, with
# CASSANDRA_JARS=FOLDER, where FOLDER is what docs/surveys.md says how to fill.
collect_ignore = [] if JARS else ["test_cassandra_store.py"]
