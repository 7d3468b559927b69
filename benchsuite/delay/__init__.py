"""Added latency: `delayer` starts `proxy`, a program that should start fast; nothing is imported."""
