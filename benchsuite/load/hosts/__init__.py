"""A load made by several hosts, over Locust's master and workers: `master` is the command's side,
`relay` and `worker` are processes, `sockets` what these speak by, `wire` what is said, `keys` who
may.
"""
