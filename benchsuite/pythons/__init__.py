"""Other Pythons than this process's own: found on the machine, and given environments.

`finding` turns "3.13" into an executable, `requirements` reads what an environment shall hold,
`recipe` is the frozen value that says how one is made, `building` makes it once and keeps it in
the `cache`.
"""
