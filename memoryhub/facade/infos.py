"""What a manager says of its sessions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memoryhub.facade.storage import Hit
from sessions_app.models import Session
from sessions_app.services.spend.usage import to_dollars


class FoundMessage(Hit):
    """A message that a search over all sessions found."""

    session_id: str


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session without its messages. Costs are in US dollars; None is unknown."""

    id: str
    name: str
    parent_session_id: str | None
    model: str | None
    source: str | None
    input_tokens: int
    output_tokens: int
    estimated_cost: float | None
    end_reason: str | None
    created_at: datetime
    updated_at: datetime


def info_of(row: Session) -> SessionInfo:
    return SessionInfo(
        id=row.key,
        name=row.name,
        parent_session_id=row.parent_session.key if row.parent_session else None,
        model=row.model or None,
        source=row.source or None,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        estimated_cost=to_dollars(row.cost_nanos),
        end_reason=row.end_reason or None,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
