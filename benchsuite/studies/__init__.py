"""Studies: a file of cells, figures and claims, and what follows from the runs made of it."""
