"""The history of an entry, and the way back."""

from __future__ import annotations

from typing import Any

from ninja import Query, Router, Status

from context_app.api.holders import AGENTS, SESSIONS, Holder, written
from context_app.api.shapes import (
    ComparedOut,
    EntryOut,
    HeldOut,
    RevertIn,
    VersionList,
    VersionNumber,
)
from context_app.api.versions import compared, version_list
from context_app.services.entries import revert_entry
from sessions_app.api.auth import ApiRequest
from sessions_app.api.pagination import Page

session_entry_versions = Router(tags=["context"])
agent_entry_versions = Router(tags=["context"])


def add_routes(router: Router, holder: Holder) -> None:
    path = f"/{{{holder.parameter}}}/blocks/{{label}}/entries/{{entry}}"

    @router.get(
        f"{path}/versions",
        response=VersionList,
        operation_id=holder.operation("list_entry_versions"),
        summary=f"List the versions of an entry of {holder.article}",
    )
    def list_versions(
        request: ApiRequest,
        label: str,
        entry: str,
        page: Query[Page],
        key: str = holder.key,
    ) -> dict[str, Any]:
        """Each write's outcome, the newest first, those before a deletion too."""
        return version_list(holder.block(request, key, label), page, entry)

    @router.get(
        f"{path}/versions/{{version}}",
        response=ComparedOut,
        operation_id=holder.operation("read_entry_version"),
        summary=f"Read a version of an entry of {holder.article}",
    )
    def read_version(
        request: ApiRequest,
        label: str,
        entry: str,
        version: VersionNumber,
        against: VersionNumber | None = None,
        key: str = holder.key,
    ) -> dict[str, Any]:
        """With what changed in it, or since the version `against`."""
        return compared(holder.block(request, key, label), version, against, entry)

    @router.post(
        f"{path}/revert",
        response={200: EntryOut, 202: HeldOut},
        operation_id=holder.operation("revert_entry"),
        summary=f"Revert an entry of {holder.article}",
    )
    def revert(
        request: ApiRequest,
        label: str,
        entry: str,
        body: RevertIn,
        key: str = holder.key,
    ) -> Status[dict[str, Any]]:
        """Write it as it was in a version, also when it has been deleted."""
        result = revert_entry(
            block=holder.block(request, key, label),
            key=entry,
            version=body.version,
            author=holder.author(request),
        )
        return written(result)


add_routes(session_entry_versions, SESSIONS)
add_routes(agent_entry_versions, AGENTS)
