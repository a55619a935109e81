"""The frozen prompt beside what the model sees: its age, and what a refresh would do."""

from __future__ import annotations

from typing import Any

from context_app.services.prompts import prompts_of
from context_app.services.refreshing import prompt_state, rewrite_cost
from context_app.working_context import WorkingContext
from sessions_app.dash.rendering.diffs import changed_lines, diff_rows
from sessions_app.models import Session

# Rows of the diff in the card, and versions in its list; the prompt's page has all.
MOST_ROWS = 24
LISTED = 4


def prompt_card(session: Session, context: WorkingContext) -> dict[str, Any]:
    state = prompt_state(session)
    current, fresh = state.current, state.fresh
    card: dict[str, Any] = {
        "current": current,
        "fresh": fresh,
        "is_stale": state.is_stale,
        "versions": prompts_of(session).defer("text")[:LISTED] if current else [],
    }
    if current and fresh and state.is_stale:
        rows = diff_rows(current.text, fresh.text, context=1)
        added, removed = changed_lines(rows)
        # What stands before the prompt, the tools, stays in the provider's cache.
        rewritten = fresh.tokens + context.tokens.messages
        card |= {
            "rows": rows[:MOST_ROWS],
            "added": added,
            "removed": removed,
            "rewritten": rewritten,
            "cost": rewrite_cost(session, rewritten),
        }
    return card
