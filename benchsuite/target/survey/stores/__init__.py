"""Further stores of answers."""
