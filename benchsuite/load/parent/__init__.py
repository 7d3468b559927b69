"""The parent's side of the load: it starts load processes and collects what they measured."""
