"""Who wrote, in words: from the names that are kept beside versions."""

from __future__ import annotations

from sessions_app.dash.rendering.formatting import short_id

TOOL = "tool "
KEY = "key "
FORK = "fork of "
APPROVED = ", approved by "


def who(author: str) -> str:
    """Return "set_context" for "tool set_context, key mh_1", "API key mh_1" for a key."""
    author, _, approver = author.partition(APPROVED)
    if author.startswith(TOOL):
        name = author.removeprefix(TOOL).partition(", ")[0]
    elif author.startswith(KEY):
        name = f"API {author}"
    elif author.startswith(FORK):
        name = FORK + short_id(author.removeprefix(FORK))
    else:
        name = "copied from a template" if author == "template" else author
    return f"{name}{APPROVED}{approver}" if approver else name
