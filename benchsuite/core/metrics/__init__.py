"""Every figure of a run, once: what it is called, how it is read and written, where it is told."""
