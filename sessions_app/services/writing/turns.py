"""A turn: what a model answered and what that took, written as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from django.db import transaction

from sessions_app.errors import BudgetExceeded
from sessions_app.messages import Draft
from sessions_app.models import Usage
from sessions_app.services.forest.finding import Tree, find
from sessions_app.services.spend.budgets import Standing, budgets_for
from sessions_app.services.spend.spending import note_spending, refusal, used_up
from sessions_app.services.spend.usage import Tokens, add_usage, write_usage
from sessions_app.services.writing.appending import Appended, write_messages
from sessions_app.services.writing.turn_ids import is_stored, made_of_ids, told_apart


@dataclass(slots=True)
class Spent:
    """What a model call used; ``details`` are fields of the ledger's row."""

    tokens: Tokens
    cost: Decimal | None
    response_id: str | None
    message: str | None
    details: dict[str, Any]


class Turn(NamedTuple):
    """What became of a turn; ``budgets`` are those in warning or over by now."""

    appended: Appended
    usage: Usage | None = None
    budgets: Sequence[Standing] = ()


def add_turn(
    *,
    session: Tree,
    drafts: Sequence[Draft],
    spent: Spent | None,
    response_id: str | None = None,
    key_id: int | None = None,
    once: str | None = None,
    **place: Any,
) -> Turn:
    """
    Append the messages of a turn, and add its usage to the ledger, both or neither.

    ``place`` is what ``write_messages`` takes besides; ``response_id`` is of the
    response that the ids of the messages were made from, if they were; ``key_id`` is the
    API key that it comes with; ``once`` tells the request from others, and is the same
    when it is sent again. The usage belongs to the message it names, or else to the
    turn's last one of an assistant. It is safe to send a turn again: where all messages
    were there already, usage counts only if its response is new.

    :raises DuplicateId, UnknownParent, HeadMoved: as ``write_messages``
    :raises NotFound: if the session sees no message that the usage names
    :raises BudgetExceeded: if the turn carries usage, and a hard budget was used up
        before it; then the usage is in the ledger nevertheless, and no message is stored
    """
    with transaction.atomic():
        if response_id is not None:
            given = drafts
            drafts = told_apart(session, drafts, response_id)
            if spent is not None and drafts is not given:
                spent.response_id = drafts[0].uid
        if spent is None:
            return Turn(write_messages(session_id=session.id, drafts=drafts, **place))
        turn = _add(session, drafts, spent, key_id, once, place)
    # Only now, so that what was spent stays written.
    if isinstance(turn, BudgetExceeded):
        raise turn
    return turn


def _add(
    session: Tree,
    drafts: Sequence[Draft],
    spent: Spent,
    key_id: int | None,
    once: str | None,
    place: dict[str, Any],
) -> Turn | BudgetExceeded:
    call = {
        "session": session,
        "tokens": spent.tokens,
        "cost": spent.cost,
        "key_id": key_id,
        **spent.details,
    }
    budgets = budgets_for(session.id, key_id)
    if spent.response_id is not None:
        once = spent.response_id
    elif once is None and any(budget.hard for budget in budgets):
        once = made_of_ids(drafts)
    over = used_up(budgets)
    if over is not None and not is_stored(session, drafts):
        # It may name a message of this turn.
        message = spent.message
        is_there = message is not None and find(session, message)
        add_usage(**call, message=message if is_there else None, response_id=once)
        note_spending(session.id, key_id)
        return refusal(over)
    appended = write_messages(session_id=session.id, drafts=drafts, **place)
    if not (appended.created or spent.response_id):
        return Turn(appended, None, note_spending(session.id, key_id))
    row, _ = write_usage(
        **call,
        message=spent.message or _answer_of(drafts),
        response_id=_if_known(session, spent, once),
    )
    return Turn(appended, row, note_spending(session.id, key_id) if budgets else ())


def _answer_of(drafts: Sequence[Draft]) -> str | None:
    """Return the id of a turn's last message of an assistant."""
    answers = [
        draft.uid
        for draft in drafts
        if draft.role == "assistant" and not draft.is_reserved
    ]
    return answers[-1] if answers else None


def _if_known(session: Tree, spent: Spent, once: str | None) -> str | None:
    """
    Return the response id to count a turn by.

    One that has none is given one only if it was refused before, and so counted.
    """
    if once is None or once == spent.response_id:
        return once
    counted = Usage.objects.filter(session=session.id, response_id=once)
    return once if counted.exists() else None
