"""What blocks, entries, versions and held writes look like, coming in and going out."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import Field

from context_app.models import Block, Entry, HeldWrite, Prompt, Version
from sessions_app.api.fields import Body, Count, Id, Metadata, Moment

Kind = Literal["readonly", "writable", "skill", "search"]
Position = Annotated[int, Field(ge=0, le=2**31 - 1)]
VersionNumber = Annotated[int, Field(ge=0, le=2**31 - 1)]
Description = Annotated[str, Field(max_length=10_000)]


class StorageIn(Body):
    """Where the documents of a block are, below the storage of the skills."""

    prefix: str = Field("", max_length=500)
    keys: list[Id] = Field([], max_length=1_000, description="Only these; none: all")
    writable: bool = False


class BlockIn(Body):
    label: Id
    kind: Kind = "writable"
    description: Description = ""
    max_tokens: Count | None = None
    content: str = ""
    position: Position | None = Field(None, description="Left out: after all others")
    source: Literal["own", "storage", "history"] = "own"
    storage: StorageIn | None = None


class AgentBlockIn(BlockIn):
    shared: bool = Field(default=False, description="Else it is a template")
    template: bool | None = Field(
        None, description="The opposite, for those who prefer"
    )


class ContentIn(Body):
    content: str
    version: VersionNumber | None = Field(
        None, description="Only if it is this one now"
    )


class BlockPatch(Body):
    description: Description = ""
    max_tokens: Count | None = None
    position: Position = 0
    version: VersionNumber | None = Field(
        None, description="Only if it is this one now"
    )


class EntryIn(ContentIn):
    description: Description | None = Field(None, description="Left out: as it was")


class RevertIn(Body):
    version: VersionNumber


class BlockOut(Schema):
    label: str
    description: str
    kind: Kind
    content: str
    tokens: int
    max_tokens: int | None
    writable: bool
    is_skill: bool
    is_searchable: bool
    shared: bool
    source: str
    findings: list[Metadata] = Field(description="What looks like prompt injection")
    version: int
    position: int
    updated_at: Moment


class BlockList(Schema):
    items: list[BlockOut]
    next: str | None


class EntryOut(Schema):
    key: str
    description: str
    content: str
    tokens: int
    version: int
    findings: list[Metadata]
    updated_at: Moment


class EntryList(Schema):
    items: list[EntryOut]
    next: str | None


class FoundOut(EntryList):
    text: str = Field(description="As the tool search_context gives it to a model")


class VersionOut(Schema):
    version: int
    content: str
    description: str
    deleted: bool
    findings: list[Metadata]
    author: str
    created_at: Moment


class ComparedOut(VersionOut):
    diff: str = Field(description="Unified, against the version before or `against`")


class VersionList(Schema):
    items: list[VersionOut]
    next: str | None


class HeldOut(Schema):
    """A write that is kept apart until an operator has decided."""

    id: int
    agent: str
    session: str | None
    block: str
    action: Literal["set", "append", "entry"]
    key: str | None
    content: str | None
    description: str | None
    findings: list[Metadata]
    author: str
    state: Literal["held", "approved", "rejected"]
    decided_by: str
    decided_at: Moment | None
    created_at: Moment


class HeldList(Schema):
    items: list[HeldOut]
    next: str | None


class PromptOut(Schema):
    text: str
    version: int
    sha256: str
    tokens: int
    stale: bool = Field(description="The blocks have changed since")
    frozen_at: Moment


class RefreshedOut(PromptOut):
    diff: str = Field(description="Unified, of what it was and what it is now")


class PromptList(Schema):
    items: list[PromptOut]
    next: str | None


def block_shape(block: Block) -> dict[str, Any]:
    return {name: getattr(block, name) for name in BlockOut.model_fields}


def entry_shape(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in EntryOut.model_fields}


def version_shape(version: Version) -> dict[str, Any]:
    return {name: getattr(version, name) for name in VersionOut.model_fields}


def prompt_shape(prompt: Prompt, *, stale: bool) -> dict[str, Any]:
    fields = ("text", "version", "sha256", "tokens", "frozen_at")
    return {**{name: getattr(prompt, name) for name in fields}, "stale": stale}


def held_shape(held: HeldWrite) -> dict[str, Any]:
    block = held.block
    agent = block.session.agent if block.session else block.agent
    return {
        "id": held.pk,
        "agent": agent.name if agent else "",
        "session": block.session and block.session.key,
        "block": block.label,
        "action": held.action,
        "key": held.key or None,
        "content": held.content,
        "description": held.description,
        "findings": held.findings,
        "author": held.author,
        "state": held.state,
        "decided_by": held.decided_by,
        "decided_at": held.decided_at,
        "created_at": held.created_at,
    }
