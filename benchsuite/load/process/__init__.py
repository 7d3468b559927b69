"""A load process: users, arrivals and phases."""
