"""Pages that say thanks for each form, and what became of it."""
