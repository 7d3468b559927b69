"""Other people's forms: what the robot must complete without having been made for it."""
