"""How a person writes to a block: with a second look at what a model could be fooled by."""

from __future__ import annotations

from django.db import transaction

from context_app.authors import Author
from context_app.models import AgentPolicy, Block, HeldWrite
from context_app.scanning import fresh
from context_app.services.blocks import set_block
from context_app.services.finding import agent_id_of
from context_app.services.policies import policy_of
from sessions_app.errors import Invalid


class LooksInjected(Invalid):
    """A text that the scan finds something in; who knows better writes it all the same."""


@transaction.atomic
def edit_block(
    *, block: Block, content: str, version: int, author: Author, sure: bool = False
) -> Block | HeldWrite:
    """
    Write a block as an operator; returns and raises as ``blocks.set_block``.

    :raises LooksInjected: if it looks like prompt injection, unless one is sure
    """
    if not sure:
        check_looks(block, content)
    return set_block(block=block, content=content, version=version, author=author)


def check_looks(block: Block, content: str, known: str | None = None) -> None:
    """
    :raises LooksInjected: if the scan finds what it did not find in the older text
    """
    if policy_of(agent_id_of(block)).scan == AgentPolicy.Scan.OFF:
        return
    found = fresh(content, block.content if known is None else known)
    if found:
        raise LooksInjected(
            "This text looks like prompt injection",
            findings=[each.as_json() for each in found],
        )
