"""Finds other Pythons on the machine and builds environments for them.

`finding` turns "3.13" into an executable, `requirements` reads what to install, `recipe` is the
frozen value that describes an environment, `building` builds it once and keeps it in the `cache`.
"""
