"""A tree as people look at it: branches, windows, what an act would touch."""
