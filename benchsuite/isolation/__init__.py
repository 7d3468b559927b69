"""Serves someone else's project with a few settings changed and none of its data at risk.

In the measured server: `settings`, `urls`, `wsgi`, `asgi`, made from `instructions` by `overrides`.
In the parent: `databases`, which starts `keeper`, the process that makes and drops the databases.
"""
