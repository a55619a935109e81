"""Summaries over stretches of a path: planned, made, laid over, looked at."""
