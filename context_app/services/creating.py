"""Making blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Max

from context_app.authors import Author
from context_app.models import Block, HeldWrite
from context_app.providers import provider_of
from context_app.providers.history import DESCRIPTION
from context_app.services.finding import Owner
from context_app.services.quarantine import hold
from context_app.services.rules import (
    KeyedBlock,
    check_label,
    check_limit,
    check_text,
    findings_of,
    must_be_held,
)
from context_app.services.versions import record_block
from sessions_app.errors import Conflict, Invalid
from sessions_app.models import Agent, Session
from sessions_app.services.forest.locking import lock_session

# What may be said of a storage: a prefix, an allow-list, and whether to write there.
STORAGE: Mapping[str, Any] = {"prefix": "", "keys": [], "writable": False}


class BlockExists(Conflict):
    code = "block_exists"


def create_block(
    *,
    owner: Owner,
    label: str,
    author: Author,
    kind: str = Block.Kind.WRITABLE,
    description: str = "",
    max_tokens: int | None = None,
    content: str = "",
    position: int | None = None,
    shared: bool = False,
    source: str = Block.Source.OWN,
    storage: Mapping[str, Any] | None = None,
) -> Block | HeldWrite:
    """
    Make a block of a session, or of an agent: shared, or else a template.

    By default it comes last in the prompt. It is in a frozen prompt after a refresh.

    :returns: a held write, if the texts look like prompt injection and are to be
        approved first; the block is there then, and empty
    :raises BlockExists: if a session would see two blocks of that label
    :raises ExceedsMaxTokens: if the content is more than the block may take
    :raises KeyedBlock: if a block of entries is given a content
    """
    check_label(label)
    check_text(content, "content")
    check_text(description, "description")
    new = Block(
        label=label,
        kind=kind,
        description=description or _default_description(source),
        max_tokens=max_tokens,
        content=content,
        shared=shared,
        source=source,
        storage=_checked_storage(source, storage),
        **_owner_fields(owner),
    )
    _check_kind(new)
    # A folder or a bucket is looked into before the database is locked.
    new.content = (
        provider_of(new).get() or "" if source != Block.Source.OWN else content
    )
    return _store(owner, new, position, author)


@transaction.atomic
def _store(
    owner: Owner, new: Block, position: int | None, author: Author
) -> Block | HeldWrite:
    agent = lock_owner(owner)
    check_label_is_free(owner, agent, new)
    new.tokens = check_limit(new.label, new.max_tokens, new.content)
    new.position = _next_position(owner) if position is None else position
    content, description = new.content, new.description
    texts = () if new.is_keyed else ((content, ""),)
    held = must_be_held(new, author, *texts, (description, ""))
    if held:
        new.content, new.description, new.tokens = "", "", 0
    new.findings = findings_of(new)
    new.save(force_insert=True)
    record_block(new, author)
    if not held:
        return new
    return hold(
        block=new,
        action=HeldWrite.Action.SET,
        content=None if new.is_keyed else content,
        description=description,
        findings=held,
        author=author,
    )


def _owner_fields(owner: Owner) -> dict[str, Owner]:
    return {"session" if isinstance(owner, Session) else "agent": owner}


def _default_description(source: str) -> str:
    return DESCRIPTION if source == Block.Source.HISTORY else ""


def _check_kind(block: Block) -> None:
    """
    :raises Invalid: if the parts of a block do not go together
    """
    if block.kind not in Block.Kind.values or block.source not in Block.Source.values:
        raise Invalid(
            f"There are no blocks {block.kind} of {block.source}", field="kind"
        )
    needed = {
        Block.Source.STORAGE: Block.Kind.SKILL,
        Block.Source.HISTORY: Block.Kind.SEARCH,
    }.get(Block.Source(block.source))
    if needed and block.kind != needed:
        raise Invalid(
            f"source: {block.source} is for blocks of the kind {needed}", field="source"
        )
    if block.shared and block.session:
        raise Invalid("shared: is for blocks of an agent", field="shared")
    if block.is_keyed and block.content:
        raise KeyedBlock(
            f'Block "{block.label}" holds entries: make it without content, and write those'
        )


def _checked_storage(source: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
    if given and source != Block.Source.STORAGE:
        raise Invalid("storage: is for the source storage", field="storage")
    if source != Block.Source.STORAGE:
        return {}
    storage = {**STORAGE, **(given or {})}
    if {name: type(value) for name, value in storage.items()} != {
        name: type(value) for name, value in STORAGE.items()
    } or not all(isinstance(key, str) for key in storage["keys"]):
        raise Invalid("storage: takes prefix, keys and writable", field="storage")
    prefix: str = storage["prefix"]
    parts = prefix.split("/")
    if prefix.startswith("/") or ".." in parts or "\\" in prefix or "\0" in prefix:
        raise Invalid("storage.prefix: must stay below the storage", field="storage")
    return storage


def lock_owner(owner: Owner) -> Agent:
    """Keep others from making blocks of the agent or its sessions, and return it."""
    agent_id = lock_session(owner).agent_id if isinstance(owner, Session) else owner.pk
    return Agent.objects.select_for_update(no_key=True).get(pk=agent_id)


def check_label_is_free(owner: Owner, agent: Agent, new: Block) -> None:
    """
    :raises BlockExists: if a session would see two blocks of that label
    """
    same = Block.objects.filter(label=new.label)
    taken = same.seen_by(owner) if isinstance(owner, Session) else same.of(owner)
    if taken.exists():
        raise BlockExists(f'Block "{new.label}" already exists', label=new.label)
    if new.shared and (count := same.filter(session__agent=agent).count()):
        raise BlockExists(
            f'Block "{new.label}" already exists in {count} of the agent\'s sessions',
            label=new.label,
            sessions=count,
        )


def _next_position(owner: Owner) -> int:
    if isinstance(owner, Session):
        seen = Block.objects.seen_by(owner)
    else:
        seen = Block.objects.of(owner)
    last = seen.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1
