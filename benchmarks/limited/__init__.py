"""A project whose pages have one bottleneck each, for `python -m benchmarks.bottlenecks`."""
