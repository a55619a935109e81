"""Blocks: the sections of a session's system prompt."""

from __future__ import annotations

from typing import Any

from ninja import Router, Status

from context_app.api.holders import AGENTS, SESSIONS, Holder, written
from context_app.api.shapes import (
    AgentBlockIn,
    BlockIn,
    BlockList,
    BlockOut,
    BlockPatch,
    ContentIn,
    HeldOut,
    block_shape,
)
from context_app.services import blocks, deleted_blocks
from context_app.services.creating import create_block
from context_app.services.finding import blocks_of
from sessions_app.api.auth import ApiRequest, Scope
from sessions_app.errors import Invalid

WRITTEN = {200: BlockOut, 202: HeldOut}
MADE = {201: BlockOut, 202: HeldOut}

session_blocks = Router(tags=["context"])
agent_blocks = Router(tags=["context"])


@session_blocks.post("/{id}/blocks", response=MADE, summary="Make a block")
def make_session_block(
    request: ApiRequest, id: str, body: BlockIn
) -> Status[dict[str, Any]]:
    """
    Make a block of the session. A label that it has, or sees of its agent: 409
    `block_exists`. Skill and search blocks hold entries, and are made empty.

    A text that looks like prompt injection, where the agent's are to be held, is
    answered 202 with what is held: the block is there then, without it.
    """
    return _make(request, SESSIONS, id, body)


@agent_blocks.post("/{agent}/blocks", response=MADE, summary="Make an agent's block")
def make_agent_block(
    request: ApiRequest, agent: str, body: AgentBlockIn
) -> Status[dict[str, Any]]:
    """
    Make a block of the agent: `shared`, one content for all of its sessions; or else a
    template, of which each session made from now on gets a copy of its own.
    """
    if body.template is not None and body.template == body.shared:
        raise Invalid(
            "template: a block is either shared or a template", field="template"
        )
    return _make(request, AGENTS, agent, body)


def _make(
    request: ApiRequest, holder: Holder, key: str, body: BlockIn
) -> Status[dict[str, Any]]:
    if body.source == "storage":
        # Whoever names a prefix may read what is there, whoever put it there.
        request.auth.require(Scope.ADMIN)
    made = create_block(
        owner=holder.find(request, key),
        author=holder.author(request),
        **body.model_dump(exclude={"template"}),
    )
    return written(made, 201)


def add_routes(router: Router, holder: Holder) -> None:
    blocks_path = f"/{{{holder.parameter}}}/blocks"
    block_path = f"{blocks_path}/{{label}}"

    @router.get(
        blocks_path,
        response=BlockList,
        operation_id=holder.operation("list_blocks"),
        summary=f"List the blocks of {holder.article}",
    )
    def list_blocks(request: ApiRequest, key: str = holder.key) -> dict[str, Any]:
        """In the order of the prompt. A session also sees those that its agent shares."""
        found = blocks_of(holder.find(request, key))
        return {"items": [block_shape(block) for block in found], "next": None}

    @router.get(
        block_path,
        response=BlockOut,
        operation_id=holder.operation("read_block"),
        summary=f"Read a block of {holder.article}",
    )
    def read_block(
        request: ApiRequest, label: str, key: str = holder.key
    ) -> dict[str, Any]:
        """Of a skill or search block the content is what the prompt shows of its entries."""
        return block_shape(holder.block(request, key, label))

    @router.put(
        block_path,
        response=WRITTEN,
        operation_id=holder.operation("write_block"),
        summary=f"Write a block of {holder.article}",
    )
    def write_block(
        request: ApiRequest,
        label: str,
        body: ContentIn,
        key: str = holder.key,
    ) -> Status[dict[str, Any]]:
        """
        Write its content anew. With `version` only if that is the one which is there:
        else 409 `version_mismatch`. A frozen prompt shows it after a refresh.
        """
        block = holder.block(request, key, label)
        author = holder.author(request)
        return written(
            blocks.set_block(block=block, author=author, **body.model_dump())
        )

    @router.patch(
        block_path,
        response=WRITTEN,
        operation_id=holder.operation("patch_block"),
        summary=f"Change a block of {holder.article}",
    )
    def patch_block(
        request: ApiRequest,
        label: str,
        body: BlockPatch,
        key: str = holder.key,
    ) -> Status[dict[str, Any]]:
        """Change the fields that are given."""
        block = holder.block(request, key, label)
        changes = body.model_dump(exclude_unset=True)
        author = holder.author(request)
        return written(blocks.update_block(block=block, author=author, **changes))

    @router.delete(
        block_path,
        response={204: None},
        operation_id=holder.operation("delete_block"),
        summary=f"Delete a block of {holder.article}",
    )
    def delete_block(
        request: ApiRequest, label: str, key: str = holder.key
    ) -> Status[None]:
        """Delete it with its entries and versions. An operator can have it back for a month."""
        block = holder.block(request, key, label)
        deleted_blocks.delete_block(block=block, author=holder.author(request))
        return Status(204, None)

    @router.post(
        f"{block_path}/append",
        response=WRITTEN,
        operation_id=holder.operation("append_block"),
        summary=f"Append to a block of {holder.article}",
    )
    def append_block(
        request: ApiRequest,
        label: str,
        body: ContentIn,
        key: str = holder.key,
    ) -> Status[dict[str, Any]]:
        """Add to its end, on a new line."""
        block = holder.block(request, key, label)
        author = holder.author(request)
        return written(
            blocks.append_block(block=block, author=author, **body.model_dump())
        )


add_routes(session_blocks, SESSIONS)
add_routes(agent_blocks, AGENTS)
