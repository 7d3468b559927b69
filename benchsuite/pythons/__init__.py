"""Other Pythons on the machine, and environments built for them."""
