"""A program beside a target on another machine, which watches it for the command that loads it."""
