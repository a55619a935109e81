"""
A session's blocks and frozen prompts, as an export carries them.

What belongs to the agent, shared blocks and templates, stays with it. A block that reads
files says where from, which a file from elsewhere must not: it is left out of an import.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

import msgspec
from django.db import transaction
from msgspec import Meta

from context_app.models import Block, Entry, Prompt, Version
from context_app.providers import provider_of
from context_app.services.documents import drop_documents, put_documents
from context_app.services.rules import (
    check_label,
    check_limit,
    findings_in,
    findings_of,
)
from sessions_app.errors import Invalid
from sessions_app.messages import check_name
from sessions_app.models import Session
from sessions_app.services import belongings
from sessions_app.tokens import text_tokens

CLEAN = "^[^\0]*$"
Name = Annotated[str, Meta(min_length=1, max_length=200, pattern=CLEAN)]
Text = Annotated[str, Meta(pattern=CLEAN)]
Key = Annotated[str, Meta(max_length=200, pattern=CLEAN)]
Number = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Moment = Annotated[datetime, Meta(tz=True)]


class VersionLine(msgspec.Struct, kw_only=True):
    key: Key = ""
    version: Number
    description: Text = ""
    content: Text = ""
    deleted: bool = False
    author: Annotated[str, Meta(max_length=300, pattern=CLEAN)]
    created_at: Moment


class EntryLine(msgspec.Struct, kw_only=True):
    key: Name
    description: Text = ""
    content: Text = ""
    version: Number = 1
    created_at: Moment
    updated_at: Moment


class BlockLine(msgspec.Struct, kw_only=True):
    label: Name
    description: Text = ""
    kind: Annotated[str, Meta(pattern="^(readonly|writable|skill|search)$")]
    source: Annotated[str, Meta(pattern="^(own|storage|history)$")] = "own"
    max_tokens: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    position: Number = 0
    content: Text = ""
    version: Number = 1
    created_at: Moment
    updated_at: Moment
    entries: list[EntryLine] = []
    versions: list[VersionLine] = []


class PromptLine(msgspec.Struct, kw_only=True):
    version: Number
    text: Text
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    hosted: bool = False
    frozen_at: Moment


def register() -> None:
    belongings.kinds.append(
        belongings.Belonging("block", export_blocks, restore_blocks)
    )
    belongings.kinds.append(
        belongings.Belonging("prompt", export_prompts, restore_prompts)
    )


def _columns(row: Any, shape: type[msgspec.Struct], **more: Any) -> dict[str, Any]:
    names = (name for name in shape.__struct_fields__ if hasattr(row, name))
    return {name: getattr(row, name) for name in names if name not in more} | more


def export_blocks(session: Session) -> Iterator[dict[str, Any]]:
    for block in Block.objects.filter(session=session).in_order():
        entries = Entry.objects.filter(block=block).order_by("id")
        versions = Version.objects.filter(block=block).order_by("id")
        yield _columns(
            block,
            BlockLine,
            entries=[_columns(each, EntryLine) for each in entries],
            versions=[_columns(each, VersionLine) for each in versions],
        )


def export_prompts(session: Session) -> Iterator[dict[str, Any]]:
    for prompt in Prompt.objects.filter(session=session).order_by("version"):
        yield _columns(prompt, PromptLine)


def restore_blocks(
    session: Session, lines: Sequence[Mapping[str, Any]], *, is_new: bool
) -> list[str]:
    if is_new:
        # Copies of the agent's templates: the file says what the session had.
        copies = Block.objects.filter(session=session)
        drop_documents(list(copies))
        copies.delete()
    seen = set(Block.objects.seen_by(session).values_list("label", flat=True))
    own = set(Block.objects.filter(session=session).values_list("label", flat=True))
    problems = []
    for each in lines:
        try:
            line = msgspec.convert(each, BlockLine, strict=False)
        except msgspec.ValidationError as exc:
            problems.append(f"a block was left out: {exc}")
            continue
        if line.label in own:
            continue
        if line.label in seen:
            problems.append(
                f'block "{line.label}" was left out: the agent shares one of that label'
            )
        elif line.source == Block.Source.STORAGE:
            problems.append(
                f'block "{line.label}" was left out: it reads files, make it by hand'
            )
        else:
            try:
                with transaction.atomic():
                    _restore_block(session, line)
            except Invalid as refusal:
                problems.append(f'block "{line.label}" was left out: {refusal.message}')
            else:
                own.add(line.label)
    return problems


def _restore_block(session: Session, line: BlockLine) -> None:
    """
    :raises Invalid: if it is not what could have been written here
    """
    check_label(line.label)
    for each in line.entries:
        check_name(each.key, "key", 200)
        check_limit(line.label, line.max_tokens, each.content)
    columns = msgspec.structs.asdict(line)
    entry_lines, version_lines = columns.pop("entries"), columns.pop("versions")
    block = Block(session=session, tokens=text_tokens(line.content), **columns)
    block.findings = findings_of(block)
    block.save(force_insert=True)
    entries = [
        Entry(
            block=block,
            tokens=text_tokens(each.content),
            findings=findings_in(block, each.key, each.content, each.description),
            **msgspec.structs.asdict(each),
        )
        for each in {each.key: each for each in entry_lines}.values()
    ]
    Entry.objects.bulk_create(entries)
    put_documents(entries)
    if block.is_keyed:
        # What the prompt shows follows from the entries, and not from a file.
        block.content = provider_of(block).get() or ""
        block.tokens = text_tokens(block.content)
    if block.source == Block.Source.OWN:
        check_limit(block.label, block.max_tokens, block.content)
    if block.is_keyed:
        block.save(update_fields=["content", "tokens"])
    versions = {(each.key, each.version): each for each in version_lines}
    Version.objects.bulk_create(
        Version(block=block, **msgspec.structs.asdict(each))
        for each in versions.values()
    )


def restore_prompts(
    session: Session, lines: Sequence[Mapping[str, Any]], *, is_new: bool
) -> list[str]:
    if is_new:
        Prompt.objects.filter(session=session).delete()
    known = set(
        Prompt.objects.filter(session=session).values_list("version", flat=True)
    )
    problems = []
    for each in lines:
        try:
            line = msgspec.convert(each, PromptLine, strict=False)
        except msgspec.ValidationError as exc:
            problems.append(f"a frozen prompt was left out: {exc}")
            continue
        if line.version not in known:
            known.add(line.version)
            columns = msgspec.structs.asdict(line)
            Prompt.objects.create(
                session=session, tokens=text_tokens(line.text), **columns
            )
    return problems
