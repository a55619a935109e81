"""The context window in the inspector: figures at hand, without rendering a message."""

from __future__ import annotations

from typing import Any

from context_app.dash.token_bar import token_bar
from context_app.working_context.frame import read_frame
from context_app.working_context.shares import share_out
from sessions_app.formats.ai_sdk import AI_SDK
from sessions_app.models import Session
from sessions_app.services.compaction.plans import threshold_of
from sessions_app.services.forest.finding import get_place
from sessions_app.services.forest.history import read_history
from sessions_app.services.forest.totals import active_on_path, widest


def context_panel(
    session: Session, leaf: str | None, context_tokens: int | None = None
) -> dict[str, Any]:
    """
    Return the token bar of the path to a leaf; None is an empty session.

    ``context_tokens`` are its messages', where they are known already. What a policy's
    strategy leaves out is not taken off: it is named.
    """
    frame = read_frame(session.id, AI_SDK.name, freeze=False)
    if context_tokens is None:
        context_tokens = (
            read_history(session, leaf=leaf, limit=1).context_tokens if leaf else 0
        )
    covers = active_on_path(session.id, get_place(session, leaf).id) if leaf else []
    shares = share_out(
        prompt=frame.prompt.text,
        prompt_tokens=frame.prompt.tokens,
        tools=frame.tools.tokens,
        conversation=context_tokens,
        summary=sum(each.tokens_after for each in widest(covers)),
    )
    strategy = frame.defaults.strategy
    return {
        "session": session,
        "leaf": leaf,
        "bar": token_bar(shares, threshold_of(session)),
        "strategy": "" if strategy == "simple" else strategy,
    }
