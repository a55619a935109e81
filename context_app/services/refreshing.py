"""What a refresh of a frozen prompt would do, for those who decide on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.utils.timezone import now

from context_app.models import Prompt
from context_app.services.prompts import current_prompt, foresee_prompt, prompts_of
from sessions_app.errors import NotFound
from sessions_app.models import Session, Usage
from sessions_app.pricing import DISJOINT, cost_of
from sessions_app.services.prices import find_price, rates_of


@dataclass(slots=True)
class PromptState:
    """
    The prompt in use, and the one that a refresh would make, which may be the same.

    One with blocks of a host's own has no ``fresh``: only the host can render it.
    """

    current: Prompt | None
    fresh: Prompt | None

    @property
    def is_stale(self) -> bool:
        return bool(
            self.current and self.fresh and self.current.version != self.fresh.version
        )


def prompt_state(session: Session) -> PromptState:
    current = current_prompt(session)
    if current is not None and current.hosted:
        return PromptState(current, None)
    return PromptState(current, foresee_prompt(session))


def get_prompt(session: Session, version: int) -> Prompt:
    """
    :raises NotFound: if the session has no such prompt
    """
    found = prompts_of(session).filter(version=version).first()
    if found is None:
        raise NotFound(f"The session has no prompt v{version}")
    return found


def rewrite_cost(session: Session, tokens: int) -> int | None:
    """Return what the session's model takes to write so many tokens to its cache anew."""
    price = find_price(provider="", model=session.model, at=now())
    if price is None:
        return None
    # Ours are disjoint, however the model's own client counts.
    rates = replace(rates_of(price), convention=DISJOINT)
    cost = cost_of(rates, Usage(cache_write_tokens=tokens))
    return cost.nanos if cost else None
