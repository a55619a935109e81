"""What pages of sessions show of contexts: built into all templates by settings.TEMPLATES."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context

from context_app.dash import panel
from context_app.dash.marking import rule_name
from context_app.models import Block
from context_app.services.panels import memory_of
from context_app.services.refreshing import prompt_state
from sessions_app.models import Session

register = template.Library()

register.filter("rule_name", rule_name)


@register.filter
def signed(number: int) -> str:
    """Return 21 as +21, -18 with a minus of the width of a plus."""
    return f"+{number:,}" if number > 0 else f"−{-number:,}" if number else "0"


@register.inclusion_tag("blocks/_panel.html", takes_context=True)
def blocks_panel(context: Context, session: Session) -> dict[str, Any]:
    """Render the blocks that a session sees, for the inspector beside its transcript."""
    return {
        "session": session,
        "memory": memory_of(session),
        "leaf_query": context.get("leaf_query", ""),
    }


@register.simple_tag
def own_blocks(session: Session) -> int:
    """Return how many blocks a session has to itself: those that a fork takes along."""
    return Block.objects.filter(session=session).count()


@register.inclusion_tag("context/_panel.html", takes_context=True)
def context_panel(
    context: Context, session: Session, leaf: str | None
) -> dict[str, Any]:
    """Render how full the context window is at a leaf, and with what."""
    known = context.get("context_tokens") if context.get("leaf") == leaf else None
    shown = panel.context_panel(session, leaf, known)
    return {**shown, "leaf_query": context.get("leaf_query", "")}


@register.inclusion_tag("context/_prompt_row.html")
def frozen_prompt_row(session: Session) -> dict[str, Any]:
    """Render the system prompt as the first row of a transcript, folded."""
    state = prompt_state(session)
    prompt = state.current or state.fresh
    return {"session": session, "prompt": prompt, "state": state}
