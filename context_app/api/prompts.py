"""The frozen system prompt of a session."""

from __future__ import annotations

from typing import Any

from ninja import Query, Router
from pydantic import Field

from context_app.api.shapes import PromptList, PromptOut, RefreshedOut, prompt_shape
from context_app.services.prompts import (
    current_prompt,
    freeze_prompt,
    is_stale,
    prompts_of,
    refresh_prompt,
)
from sessions_app.api.auth import ApiRequest
from sessions_app.api.fields import Filters
from sessions_app.api.lookups import get_session
from sessions_app.api.pagination import Page, page_of

router = Router(tags=["context"])


@router.get("/{id}/prompt", response=PromptOut, summary="Read the system prompt")
def read_prompt(request: ApiRequest, id: str) -> dict[str, Any]:
    """
    The blocks as a system prompt. The first call freezes it: from then on it is the
    same to the letter until it is refreshed, and `stale` says when that would change it.
    """
    session = get_session(request, id)
    prompt = freeze_prompt(session=session)
    return prompt_shape(prompt, stale=is_stale(session, prompt))


class RefreshFilters(Filters):
    dry_run: bool = Field(default=False, description="Write nothing")


@router.post(
    "/{id}/prompt/refresh", response=RefreshedOut, summary="Refresh the system prompt"
)
def post_refresh(
    request: ApiRequest, id: str, filters: Query[RefreshFilters]
) -> dict[str, Any]:
    """
    Render and freeze it anew; where nothing changed, the version stays. With `dry_run=1`
    nothing is written, and the answer is what a refresh would give.
    """
    session = get_session(request, id)
    refreshed = refresh_prompt(session=session, dry_run=filters.dry_run)
    shape = prompt_shape(refreshed.prompt, stale=False)
    return {**shape, "diff": refreshed.diff}


@router.get("/{id}/prompt/versions", response=PromptList, summary="List the prompts")
def list_prompts(request: ApiRequest, id: str, page: Query[Page]) -> dict[str, Any]:
    """All that were ever frozen for the session, the newest first."""
    session = get_session(request, id)
    shown, following = page_of(prompts_of(session), page, newest_first=True)
    current = current_prompt(session)
    stale = current is not None and is_stale(session, current)
    items = [
        prompt_shape(
            each, stale=stale or each.version != getattr(current, "version", 0)
        )
        for each in shown
    ]
    return {"items": items, "next": following}
