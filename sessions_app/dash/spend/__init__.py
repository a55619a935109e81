"""Pages on what was spent."""
