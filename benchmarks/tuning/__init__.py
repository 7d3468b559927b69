"""How well the search of `tunebench` finds the best configuration of servers that are simulated."""
