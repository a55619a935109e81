"""The list of sessions, and what is done to those that are ticked."""
