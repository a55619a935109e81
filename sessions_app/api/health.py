from __future__ import annotations

from typing import Any

from ninja import Router, Schema

from sessions_app.api.auth import ApiRequest, Scope, caller_of
from sessions_app.services import health

router = Router(tags=["health"])


class Versions(Schema):
    python: str
    django: str
    database: str


class SearchState(Schema):
    missing: int
    orphans: int


class JobState(Schema):
    waiting: int
    due: int
    failed: int


class Health(Schema):
    status: str
    versions: Versions | None = None
    sessions: int | None = None
    messages: int | None = None
    search: SearchState | None = None
    jobs: JobState | None = None


@router.get("/health", auth=None, response=Health, exclude_unset=True, summary="Health")
def read_health(request: ApiRequest) -> dict[str, Any]:
    """`{status}` for anyone; with an admin key for all agents, the state of the server."""
    caller = caller_of(request)
    if caller is None or caller.agent_id is not None or caller.scope != Scope.ADMIN:
        return {"status": "ok"}
    return {"status": "ok", **health.state()}
