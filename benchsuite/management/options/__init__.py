"""The options of the commands, and the specs they make."""
