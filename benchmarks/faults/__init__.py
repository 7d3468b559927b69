"""The faults of which `python -m benchmarks.sabotage` draws: a file for each group."""
