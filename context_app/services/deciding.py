"""What an operator makes of a write that was held."""

from __future__ import annotations

from django.db import transaction

from context_app.authors import Author
from context_app.models import Block, HeldWrite
from context_app.services.blocks import append_block, update_block
from context_app.services.entries import set_entry
from context_app.services.quarantine import decide, reopen


def approve(*, held: HeldWrite, operator: Author) -> HeldWrite:
    """
    Carry out a held write as it was asked for; of an entry or a text the last one wins.

    :raises AlreadyDecided: if there is a decision
    :raises ExceedsMaxTokens: if the block has no room for it any more
    """
    # Both names stand beside the version that it makes.
    author = Author(f"{held.author}, approved by {operator.name}", is_operator=True)
    if held.block.source == Block.Source.STORAGE:
        # A bucket may be slow, and no transaction is open meanwhile: who decides at the
        # same moment has to know. Where it fails nothing is decided.
        decided = decide(held, HeldWrite.State.APPROVED, operator)
        try:
            _carry_out(held, author)
        except BaseException:
            reopen(decided)
            raise
        return decided
    with transaction.atomic():
        held = decide(held, HeldWrite.State.APPROVED, operator)
        _carry_out(held, author)
        return held


def reject(*, held: HeldWrite, operator: Author) -> HeldWrite:
    """
    Leave a held write out for good; its row stays, to show what it was.

    :raises AlreadyDecided: if there is a decision
    """
    return decide(held, HeldWrite.State.REJECTED, operator)


def _carry_out(held: HeldWrite, author: Author) -> None:
    block = held.block
    if held.action == HeldWrite.Action.ENTRY:
        set_entry(
            block=block,
            key=held.key,
            content=held.content or "",
            description=held.description,
            author=author,
        )
    elif held.action == HeldWrite.Action.APPEND:
        append_block(block=block, content=held.content or "", author=author)
    else:
        update_block(
            block=block,
            content=held.content,
            description=held.description,
            author=author,
        )
