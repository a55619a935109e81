"""Sessions in and out as files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from django.conf import settings
from django.http import StreamingHttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from sessions_app.api.auth import ApiRequest, KeyAuth, Scope
from sessions_app.api.fields import Filters
from sessions_app.api.lookups import get_session, named_agent
from sessions_app.services.exporting.files import export_as
from sessions_app.services.importing.files import import_file
from sessions_app.services.importing.memoryhub_lines import NAME
from sessions_app.services.importing.upload_jobs import as_json
from sessions_app.services.importing.uploads import new_file, write_chunks

router = Router(tags=["import and export"])

CHUNK = 1024 * 1024


class ExportFilters(Filters):
    format: str = Field(
        NAME, description="memoryhub (everything), markdown, or a dialect of the path"
    )
    leaf: str | None = Field(
        None, description="Where the path ends; left out: the head"
    )


class ImportFilters(Filters):
    format: Literal["memoryhub", "oasst", "pi"] | None = Field(
        None, description="Left out: told by the first lines"
    )
    dry_run: bool = Field(default=False, description="Say what would be imported")


class ProblemOut(Schema):
    line: int
    reason: str


class ImportOut(Schema):
    """How many of each there were, and how many of them were new."""

    format: str
    dry_run: bool
    agent: str
    sessions: int
    new_sessions: int
    messages: int
    new_messages: int
    branch_points: int
    compactions: int
    new_compactions: int
    labels: int
    new_labels: int
    usage: int
    new_usage: int
    cost_nanos: int
    new_cost_nanos: int
    problem_count: int
    problems: list[ProblemOut]
    ids: list[str] = Field(description="Of the first 1,000 sessions")


@router.get("/sessions/{id}/export", summary="Export a session")
def export(
    request: ApiRequest, id: str, filters: Query[ExportFilters]
) -> StreamingHttpResponse:
    """
    Without a format, all of it as JSON lines that `POST /import` takes: messages with
    their parents, labels, compactions, usage, blocks with their versions.
    """
    session = get_session(request, id)
    made = export_as(session, filters.format, filters.leaf)
    response = StreamingHttpResponse(made.chunks, content_type=made.content_type)
    response["Content-Disposition"] = f'attachment; filename="{made.filename}"'
    return response


@router.post(
    "/import",
    response=ImportOut,
    auth=KeyAuth(Scope.ADMIN),
    summary="Import sessions from a file",
)
def import_sessions(
    request: ApiRequest, filters: Query[ImportFilters]
) -> dict[str, Any]:
    """
    The body is the file. Needs an admin key. Sessions go to the key's agent, or `agent`.

    Again is safe: only what is new goes in. What does not fit is among the `problems`.
    """
    agent = named_agent(request, None)
    path = new_file()
    try:
        write_chunks(path, _chunks(request), settings.MAX_UPLOAD_BYTES)
        report = import_file(
            path,
            format_name=filters.format,
            agent_name=agent.name,
            dry_run=filters.dry_run,
        )
    finally:
        path.unlink(missing_ok=True)
    said = as_json(report)
    problems = [{"line": line, "reason": text} for line, text in said["problems"]]
    return {
        **said,
        "problems": problems,
        "ids": said["keys"],
        "dry_run": filters.dry_run,
        "agent": agent.name,
    }


def _chunks(request: ApiRequest) -> Iterator[bytes]:
    while chunk := request.read(CHUNK):
        yield chunk
