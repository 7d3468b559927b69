"""What a run's parts use while it lasts: one file per device, and the thread that asks them."""
