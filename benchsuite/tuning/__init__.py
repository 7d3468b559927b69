"""From an objective to a server and its sizes: what to measure next, and what follows from it.

Pure: whoever drives `search.Search` makes the runs, and tells it what they showed.
"""
