"""Having a session compacted: the plan for a client's model, or a job for ours."""

from __future__ import annotations

from typing import Any, Literal

from ninja import Router, Schema, Status
from pydantic import Field

from sessions_app.api.auth import ApiRequest
from sessions_app.api.compactions import CompactionOut, shape
from sessions_app.api.fields import Body, Id, Moment, RowId
from sessions_app.api.idempotency import HEADER
from sessions_app.api.lookups import get_session
from sessions_app.services.compaction.automatic import queue
from sessions_app.services.compaction.compacting import compact
from sessions_app.services.compaction.plans import plan_compaction
from sessions_app.services.compaction.summarizers import choose
from sessions_app.services.jobs.lists import get_job, state_of

router = Router(tags=["compactions"])


class PlanOut(Schema):
    from_: str = Field(alias="from")
    to: str
    count: int
    prompt: str
    budget_tokens: int
    planned_at: str


class CompactIn(Body):
    summarizer: Id | None = None
    wait: bool = False


NOTHING_SAID = CompactIn()


class JobOut(Schema):
    job: int


class JobStateOut(Schema):
    """`error` is of the last attempt; `run_after` is when the next one is due."""

    job: int
    state: Literal["waiting", "running", "retrying", "done", "failed", "cancelled"]
    attempts: int
    error: str | None
    run_after: Moment | None
    created_at: Moment
    finished_at: Moment | None


@router.get(
    "/{id}/compactions/plan",
    response={200: PlanOut, 204: None},
    by_alias=True,
    summary="Plan a compaction",
)
def plan(request: ApiRequest, id: str) -> Status[dict[str, Any] | None]:
    """
    What to summarise next, as a prompt for a model of your own; 204 when there is nothing.

    Post its answer as `summary` to `compactions`, with `from`, `to` and `planned_at` as
    they are here. A long history takes several plans, each with the last summary in it.
    """
    found = plan_compaction(session=get_session(request, id))
    if found is None:
        return Status(204, None)
    content = {
        "from": found.first,
        "to": found.last,
        "count": found.count,
        "prompt": found.prompt,
        "budget_tokens": found.budget_tokens,
        "planned_at": found.planned_at,
    }
    return Status(200, content)


@router.post(
    "/{id}/compact",
    response={200: CompactionOut, 202: JobOut, 204: None},
    by_alias=True,
    summary="Compact a session",
)
def post_compact(
    request: ApiRequest, id: str, body: CompactIn = NOTHING_SAID
) -> Status[dict[str, Any] | None]:
    """
    Have the session compacted by the server's summarizer, or the one that is named.

    It is a job (202), unless `wait` is true: then the answer is the compaction, or 204
    when there is nothing to do. With an `Idempotency-Key`, which would hold a transaction
    meanwhile, a summarizer that asks a model is always a job. While a hard budget is used
    up, no model is asked (402). `GET jobs/{job}` tells how a job goes.
    """
    session = get_session(request, id)
    name = choose(body.summarizer)
    by = f"key {request.auth.prefix}"
    if body.wait and (name == "extractive" or HEADER not in request.headers):
        done = compact(
            session=session, summarizer=name, created_by=by, key_id=request.auth.key_id
        )
        return Status(200, shape(done)) if done else Status(204, None)
    job = queue(
        session.id,
        summarizer=name,
        created_by=by,
        key_id=request.auth.key_id,
        only_if_due=False,
    )
    return Status(202, {"job": job.id})


@router.get("/{id}/jobs/{job}", response=JobStateOut, summary="Read a job")
def read_job(request: ApiRequest, id: str, job: RowId) -> dict[str, Any]:
    """How a job goes that compacts the session. What is long finished is forgotten."""
    found = get_job(get_session(request, id), job)
    return {
        "job": found.id,
        "state": state_of(found),
        "attempts": found.attempts,
        "error": found.error or None,
        "run_after": None if found.finished_at else found.run_after,
        "created_at": found.created_at,
        "finished_at": found.finished_at,
    }
