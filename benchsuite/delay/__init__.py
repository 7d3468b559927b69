"""Added latency: `delayer` starts `proxy`, a program that starts fast; nothing is imported here."""
