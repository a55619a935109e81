"""What can be chosen of a context, and what was changed to make it valid."""

from __future__ import annotations

from typing import Any

import orjson

from context_app.dash.context_json import ContextJson
from context_app.services.policies import policy_of
from context_app.working_context import WorkingContext
from sessions_app.dash.access import PageRequest
from sessions_app.formats import FORMATS
from sessions_app.models import Session
from sessions_app.strategies import STRATEGIES

# Messages that a repair links to; the JSON has them all.
MOST_LINKS = 6


def changes_of(printed: bytes, shown: ContextJson) -> list[dict[str, Any]]:
    """Return repairs with the numbers of their messages."""
    changes: list[dict[str, Any]] = orjson.loads(printed)
    named = [uid for each in changes for uid in each["detail"]["messages"]]
    numbers = shown.outline.numbers_of(named)
    found = []
    for change in changes:
        detail = change["detail"]
        known = [uid for uid in detail["messages"] if uid in numbers]
        found.append(
            {
                **change,
                "count": detail["count"],
                "messages": [(numbers[uid], uid) for uid in known[:MOST_LINKS]],
                "more": len(known[MOST_LINKS:]),
                "calls": [] if known else detail.get("calls", [])[:MOST_LINKS],
            }
        )
    return found


def choices_of(
    request: PageRequest,
    session: Session,
    head: dict[str, Any],
    context: WorkingContext,
) -> dict[str, Any]:
    """Return what can be chosen, and what is: the texts as they were sent."""
    sent = {
        name: request.GET.get(name, "")
        for name in ("strategy", "window", "max_tokens", "keep_recent", "leaf")
    }
    return {
        "formats": FORMATS.values(),
        "strategies": STRATEGIES.values(),
        "default_strategy": policy_of(session.agent_id).strategy,
        "sent": sent,
        "has_sizes": any(
            sent[name] for name in ("window", "max_tokens", "keep_recent")
        ),
        "is_listed": any(each["leaf"] == context.leaf for each in head["branches"]),
    }
