"""What changed between two texts, line by line."""

from __future__ import annotations

from difflib import unified_diff

from sessions_app.line_diffs import MOST_LINES, same_ends


def diff(before: str, after: str) -> str:
    """Return a unified diff, which is empty where nothing changed."""
    old, new = before.split("\n"), after.split("\n")
    if old == new:
        return ""
    start, end = same_ends(old, new)
    if max(len(old), len(new)) - start - end > MOST_LINES:
        gone = [f"-{line}" for line in old[start : len(old) - end]]
        come = [f"+{line}" for line in new[start : len(new) - end]]
        hunk = f"@@ -{start + 1},{len(gone)} +{start + 1},{len(come)} @@"
        return "\n".join(["--- before", "+++ after", hunk, *gone, *come])
    return "\n".join(unified_diff(old, new, "before", "after", lineterm=""))
