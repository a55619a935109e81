"""Writes that are kept apart until an operator has looked at them."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.timezone import now

from context_app.authors import Author
from context_app.models import Block, HeldWrite
from sessions_app.errors import Conflict, NotFound
from sessions_app.models import Session


class AlreadyDecided(Conflict):
    code = "already_decided"


def hold(
    *,
    block: Block,
    action: str,
    findings: list[dict[str, Any]],
    author: Author,
    content: str | None = None,
    description: str | None = None,
    key: str = "",
) -> HeldWrite:
    """Keep a write apart. Nothing of it is in the block until it is approved."""
    return HeldWrite.objects.create(
        block=block,
        action=action,
        key=key,
        content=content,
        description=description,
        findings=findings,
        author=str(author),
    )


def held_writes_of(agent_id: int | None) -> QuerySet[HeldWrite]:
    """
    Return the held writes of an agent and its sessions; with None, of all.

    Those of sessions in the trash come back with them.
    """
    found = HeldWrite.objects.select_related("block__session__agent", "block__agent")
    living = Session.objects.living().values("id")
    if agent_id is None:
        return found.filter(Q(block__session=None) | Q(block__session__in=living))
    of_agent = living.filter(agent=agent_id)
    return found.filter(Q(block__agent=agent_id) | Q(block__session__in=of_agent))


@transaction.atomic
def decide(held: HeldWrite, state: str, operator: Author) -> HeldWrite:
    """
    Note a decision, and keep others from deciding too.

    :raises AlreadyDecided: if there is a decision
    """
    try:
        held = HeldWrite.objects.select_for_update(of=("self",)).get(pk=held.pk)
    except HeldWrite.DoesNotExist:
        raise NotFound(f"No held write {held.pk}") from None
    if held.state != HeldWrite.State.HELD:
        raise AlreadyDecided(f"It was {held.state} by {held.decided_by} before")
    held.state = state
    held.decided_by = str(operator)
    held.decided_at = now()
    held.save(update_fields=["state", "decided_by", "decided_at"])
    return held


def reopen(held: HeldWrite) -> None:
    """Take back a decision that could not be carried out, if the write is still there."""
    HeldWrite.objects.filter(pk=held.pk).update(
        state=HeldWrite.State.HELD, decided_by="", decided_at=None
    )


def count_held() -> int:
    """Return how many writes wait for a decision, of all agents."""
    return held_writes_of(None).filter(state=HeldWrite.State.HELD).count()
