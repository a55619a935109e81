"""Adding messages, changing them and taking them out."""
