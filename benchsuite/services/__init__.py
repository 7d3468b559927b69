"""Throw-away services of a run, one file each: started, watched come up, ended, never installed."""
