"""What changed between two texts, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff

# Of longer stretches that differ no lines are matched: that takes the square of their
# number in time.
MOST_LINES = 2_000


def diff(before: str, after: str) -> str:
    """Return a unified diff, which is empty where nothing changed."""
    old, new = before.split("\n"), after.split("\n")
    if old == new:
        return ""
    start, end = _same_ends(old, new)
    if max(len(old), len(new)) - start - end > MOST_LINES:
        gone = [f"-{line}" for line in old[start : len(old) - end]]
        come = [f"+{line}" for line in new[start : len(new) - end]]
        hunk = f"@@ -{start + 1},{len(gone)} +{start + 1},{len(come)} @@"
        return "\n".join(["--- before", "+++ after", hunk, *gone, *come])
    return "\n".join(unified_diff(old, new, "before", "after", lineterm=""))


def _same_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many lines are the same from the start, and of the rest from the end."""
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    left = shorter - start
    end = next((i for i in range(left) if old[-1 - i] != new[-1 - i]), left)
    return start, end
