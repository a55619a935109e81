"""The history of a block, and the way back."""

from __future__ import annotations

from typing import Any

from ninja import Query, Router, Status

from context_app.api.holders import AGENTS, SESSIONS, Holder, written
from context_app.api.shapes import (
    BlockOut,
    ComparedOut,
    HeldOut,
    RevertIn,
    VersionList,
    VersionNumber,
    version_shape,
)
from context_app.models import Block
from context_app.services.blocks import revert_block
from context_app.services.versions import diff_of, get_version, versions_of
from sessions_app.api.auth import ApiRequest
from sessions_app.api.pagination import Page, page_of

session_versions = Router(tags=["context"])
agent_versions = Router(tags=["context"])


def add_routes(router: Router, holder: Holder) -> None:
    path = f"/{{{holder.parameter}}}/blocks/{{label}}"

    @router.get(
        f"{path}/versions",
        response=VersionList,
        operation_id=holder.operation("list_versions"),
        summary=f"List the versions of a block of {holder.article}",
    )
    def list_versions(
        request: ApiRequest,
        label: str,
        page: Query[Page],
        key: str = holder.key,
    ) -> dict[str, Any]:
        """Each write's outcome, the newest first: what, when, and by whom."""
        return version_list(holder.block(request, key, label), page)

    @router.get(
        f"{path}/versions/{{version}}",
        response=ComparedOut,
        operation_id=holder.operation("read_version"),
        summary=f"Read a version of a block of {holder.article}",
    )
    def read_version(
        request: ApiRequest,
        label: str,
        version: VersionNumber,
        against: VersionNumber | None = None,
        key: str = holder.key,
    ) -> dict[str, Any]:
        """With what changed in it, or since the version `against`."""
        return compared(holder.block(request, key, label), version, against)

    @router.post(
        f"{path}/revert",
        response={200: BlockOut, 202: HeldOut},
        operation_id=holder.operation("revert_block"),
        summary=f"Revert a block of {holder.article}",
    )
    def revert(
        request: ApiRequest,
        label: str,
        body: RevertIn,
        key: str = holder.key,
    ) -> Status[dict[str, Any]]:
        """Write it as it was in a version. That makes a new version: nothing is lost."""
        block = holder.block(request, key, label)
        author = holder.author(request)
        return written(revert_block(block=block, version=body.version, author=author))


def version_list(block: Block, page: Page, key: str = "") -> dict[str, Any]:
    shown, following = page_of(versions_of(block, key), page, newest_first=True)
    return {"items": [version_shape(each) for each in shown], "next": following}


def compared(
    block: Block, version: int, against: int | None, key: str = ""
) -> dict[str, Any]:
    found = get_version(block, version, key)
    return {**version_shape(found), "diff": diff_of(found, against)}


add_routes(session_versions, SESSIONS)
add_routes(agent_versions, AGENTS)
