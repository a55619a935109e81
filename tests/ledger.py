"""The sums over the ledger, counted anew, to hold those that triggers keep against."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sessions_app.models import Session, SessionDay, Usage, UsageDay
from sessions_app.models.fields import to_millis
from sessions_app.sql.ledger import SUMS, TOKENS

DAY = 86_400_000
OWN = ("calls", "unpriced", *TOKENS, "cost_nanos")


def stored_totals() -> dict[Any, Any]:
    """Return all sums as the database keeps them."""
    days = {
        ("day", row.day, row.agent_id, row.provider, row.model, row.purpose, row.key): {
            name: getattr(row, name) for name in SUMS
        }
        for row in UsageDay.objects.all()
    }
    session_days = {
        ("session day", row.session_id, row.day, row.imported, row.agent_id): {
            name: getattr(row, name) for name in SUMS
        }
        for row in SessionDay.objects.all()
    }
    sessions = {
        ("session", row.id): {name: getattr(row, name) for name in OWN}
        for row in Session.objects.all()
    }
    return days | session_days | sessions


def recounted_totals() -> dict[Any, Any]:
    """Return the same from the ledger, a row at a time."""
    found: dict[Any, dict[str, Any]] = defaultdict(lambda: dict.fromkeys(SUMS, 0))
    priced: set[Any] = set()
    for row in Usage.objects.all():
        day = to_millis(row.created_at) // DAY
        names = row.provider, row.model, row.purpose
        places: list[Any] = [("day", day, row.agent_id, *names, row.key_id or 0)]
        if row.session_id is not None:
            imported = row.purpose == "import"
            session_day = (row.session_id, day, imported, row.agent_id)
            places += [("session day", *session_day), ("session", row.session_id)]
        for place in places:
            sums = found[place]
            sums["calls"] += 1
            sums["unpriced"] += row.cost_nanos is None
            for name in (*TOKENS, "cost_nanos", "computed_nanos"):
                sums[name] += getattr(row, name) or 0
            if row.cost_nanos is not None:
                priced.add(place)
    for session in Session.objects.values_list("id", flat=True):
        place = ("session", session)
        own = {name: found[place][name] for name in OWN}
        found[place] = own if place in priced else own | {"cost_nanos": None}
    return dict(found)
