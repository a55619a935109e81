"""The token bar and its legend: of the Context tab, and of the inspector."""

from __future__ import annotations

from typing import Any

from context_app.working_context.shares import Shares

# By the colours of the visual brief: what a share is called, and its series.
PARTS = {
    "system": ("System text", "system"),
    "blocks": ("Blocks", "2"),
    "tools": ("Tools", "3"),
    "summary": ("Summary", "5"),
    "messages": ("Messages", "1"),
}


def token_bar(shares: Shares, threshold: int | None) -> dict[str, Any]:
    """
    Return segments in order, what they come to, and the whole that they are scaled to.

    The whole is the threshold for compaction, or else the total. Shares are of the total.
    """
    segments = [
        {"series": series, "name": name, "tokens": getattr(shares, part)}
        for part, (name, series) in PARTS.items()
    ]
    return {
        "segments": segments,
        "total": shares.total,
        "whole": threshold or shares.total,
        "threshold": threshold,
        "free": max(threshold - shares.total, 0) if threshold else None,
        "over": max(shares.total - threshold, 0) if threshold else 0,
    }
