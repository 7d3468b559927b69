"""A load made by several hosts: `master` is the command's side, `relay` and `worker` are processes,
`wire` is what they say to each other, `keys` who may.
"""
