"""The memory of a session at a glance, in two queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from context_app.models import AgentPolicy, Block, Prompt
from context_app.rendering import render_prompt
from context_app.services.prompts import sha256
from sessions_app.models import Session


class Memory(NamedTuple):
    """``is_stale`` says that the blocks are not any more what was frozen."""

    blocks: Sequence[Block]
    prompt: Prompt | None
    is_stale: bool


def memory_of(session: Session) -> Memory:
    """
    Return what a session sees, and whether its frozen prompt still says so.

    What files hold is taken as it was last seen. Of a prompt with a host's own blocks
    nobody but the host can say.
    """
    blocks = list(Block.objects.seen_by(session))
    prompts = Prompt.objects.filter(session=session).defer("text")
    prompt = (
        prompts.select_related("session__agent__policy").order_by("-version").first()
    )
    if prompt is None or prompt.hosted:
        return Memory(blocks, prompt, is_stale=False)
    policy: AgentPolicy | None = getattr(prompt.session.agent, "policy", None)
    text = render_prompt(blocks, usage=policy is None or policy.usage_in_headers)
    return Memory(blocks, prompt, is_stale=sha256(text) != prompt.sha256)
