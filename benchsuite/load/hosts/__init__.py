"""A load made by several hosts, over Locust's master and workers: `master` and `worker` are
processes, `sockets` what they speak by, `wire` what they say, `keys` who may.
"""
