"""Runs, and never listens."""

import time

print("loading for ever", flush=True)
time.sleep(600)
