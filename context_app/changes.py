"""What a write changed, in a few words: for lists of versions."""

from __future__ import annotations

from sessions_app.line_diffs import stretches

# Lines that are compared for a list; of longer texts only the first and last.
MOST_LINES = 400


def in_words(before: str | None, after: str) -> str:
    """Return "1 line changed, 2 added"; None before means that there was nothing yet."""
    if before is None:
        return "First version"
    if before == after:
        return "Text unchanged"
    if not after:
        return "Emptied"
    changed, added, removed = count_lines(before, after)
    counts = [(changed, "changed"), (added, "added"), (removed, "removed")]
    words = [(count, what) for count, what in counts if count]
    if not words:
        return "Text unchanged"
    (count, what), *others = words
    first = f"{count:,} {'line' if count == 1 else 'lines'} {what}"
    return ", ".join([first, *(f"{count:,} {what}" for count, what in others)])


def count_lines(before: str, after: str) -> tuple[int, int, int]:
    """Return how many lines were changed, added and removed."""
    changed = added = removed = 0
    for tag, i, j, k, m in stretches(_lines(before), _lines(after), MOST_LINES):
        if tag != "equal":
            old, new = j - i, m - k
            changed += min(old, new)
            added += max(new - old, 0)
            removed += max(old - new, 0)
    return changed, added, removed


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []
