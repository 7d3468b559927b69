"""The machine: programs and processes, and what they may do and leave."""
