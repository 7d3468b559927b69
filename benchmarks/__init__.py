"""Programs that show what figures are worth; run them as `python -m benchmarks.NAME`."""
