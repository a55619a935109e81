"""What a Pi message says that it cost."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from sessions_app.services.importing.conversations import ImportedUsage
from sessions_app.services.importing.plain import read_text
from sessions_app.services.importing.verbatim import Members

# Pi's buckets are disjoint, as the ledger's are.
BUCKETS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cacheRead": "cache_read_tokens",
    "cacheWrite": "cache_write_tokens",
}

# More than any one call takes: beyond it is a mistake, and would burst the sums.
MOST_TOKENS = 10**12
MOST_DOLLARS = 10**6


def read_usage(
    uid: str, message: dict[str, Any], raw: Members, created_at: int | None
) -> tuple[ImportedUsage | None, list[str]]:
    """
    Return the usage of a message, and what is wrong with it.

    That of an aborted call is kept too: it says that the call was made, and took none.
    """
    if not isinstance(message.get("usage"), dict):
        return None, ["the usage is not an object"] if message.get("usage") else []
    usage = json.loads(bytes(raw["usage"]), parse_float=Decimal)
    tokens = {ours: usage.get(theirs, 0) for theirs, ours in BUCKETS.items()}
    if not all(type(n) is int and 0 <= n <= MOST_TOKENS for n in tokens.values()):
        return None, ["the usage is not in whole tokens: not counted"]
    cost = _read_cost(usage.get("cost"))
    doubts = [] if cost is not None else ["the usage has no cost"]
    found = ImportedUsage(
        tokens=tokens,
        cost=cost,
        provider=read_text(message.get("provider"), 100),
        model=read_text(message.get("model"), 200),
        response_id=_response_id(uid, message, created_at),
        raw=bytes(raw["usage"]).decode(),
    )
    return found, doubts


def _read_cost(cost: Any) -> Decimal | None:
    total = cost.get("total") if isinstance(cost, dict) else None
    if isinstance(total, bool) or not isinstance(total, int | Decimal):
        return None
    return Decimal(total) if 0 <= total <= MOST_DOLLARS else None


def _response_id(uid: str, message: dict[str, Any], created_at: int | None) -> str:
    """
    Return the provider's id of the response, or one that copies of the message share.

    A fork in Pi is a file with copies of the entries, and their usage.
    """
    given = read_text(message.get("responseId"), 200)
    return given or f"pi:{uid[:150]}:{message.get('timestamp') or created_at}"[:200]
