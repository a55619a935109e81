"""What memory does when something happens to a session: see sessions_app's followers."""

from __future__ import annotations

from context_app.models import Block, Prompt
from context_app.services import timeline
from context_app.services.copying import copy_blocks
from context_app.services.documents import drop_documents
from context_app.services.prompts import current_prompt, renew_frozen
from context_app.services.skills import forget_calls
from sessions_app.models import Agent, Session
from sessions_app.services.forest import followers


def register() -> None:
    followers.created.append(copy_templates)
    followers.forked.append(copy_memory)
    followers.cleared.append(start_anew)
    followers.compacted.append(renew_frozen)
    followers.deleting.append(drop_memory)
    followers.agent_deleting.append(drop_memory_of)
    timeline.register()


def copy_templates(session: Session) -> None:
    """Give a new session its copies of its agent's templates."""
    templates = Block.objects.filter(agent=session.agent_id, shared=False)
    copy_blocks(list(templates.order_by("position", "id")), session, "template")


def copy_memory(session: Session, fork: Session) -> None:
    """
    Give a session that goes on from another its blocks, and the prompt in use.

    Shared blocks it sees in any case. Versions start anew: what was written before
    was written elsewhere.
    """
    # It may be a new session, which has had its templates.
    old = Block.objects.filter(session=fork)
    drop_documents(list(old))
    old.delete()
    own = Block.objects.filter(session=session).order_by("position", "id")
    copy_blocks(list(own), fork, f"fork of {session.key}")
    frozen = current_prompt(session)
    if frozen is not None:
        Prompt.objects.create(
            session=fork,
            version=1,
            text=frozen.text,
            sha256=frozen.sha256,
            tokens=frozen.tokens,
            hosted=frozen.hosted,
            frozen_at=frozen.frozen_at,
        )


def start_anew(session: Session) -> None:
    """After a clear: the blocks stay, and the prompt shows them as they are now."""
    forget_calls(session)
    renew_frozen(session)


def drop_memory(session: Session) -> None:
    """Before a session goes: its rows go with it, what search finds must be told."""
    drop_documents(list(Block.objects.filter(session=session)))


def drop_memory_of(agent: Agent) -> None:
    """Before an agent goes, its sessions gone already."""
    drop_documents(list(Block.objects.filter(agent=agent)))
