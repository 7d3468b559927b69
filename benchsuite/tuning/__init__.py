"""From an objective to a server and its sizes: what to measure next, and what follows from it.

Pure: nothing here starts anything or knows a model. `search.Search` says which trial is next and
is told what was observed; whoever drives it makes the runs.
"""
