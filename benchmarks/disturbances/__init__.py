"""What `python -m benchmarks.chaos` does to runs, and what it looks for afterwards."""
