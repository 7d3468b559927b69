"""A load made by several hosts, over Locust's master and workers."""
