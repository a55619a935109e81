"""The entries of skill and search blocks."""

from __future__ import annotations

from typing import Any

from ninja import Query, Router, Status

from context_app.api.holders import AGENTS, SESSIONS, Holder, written
from context_app.api.shapes import (
    EntryIn,
    EntryList,
    EntryOut,
    FoundOut,
    HeldOut,
    entry_shape,
)
from context_app.models import Block, Entry
from context_app.services import entries
from context_app.services.reading import (
    page_of_files,
    read_entry,
    search_block,
)
from sessions_app.api.auth import ApiRequest
from sessions_app.api.fields import Id
from sessions_app.api.pagination import Page, decode_cursor, encode_cursor, page_of

session_entries = Router(tags=["context"])
agent_entries = Router(tags=["context"])


def add_routes(router: Router, holder: Holder) -> None:
    block_path = f"/{{{holder.parameter}}}/blocks/{{label}}"
    entry_path = f"{block_path}/entries/{{entry}}"

    @router.get(
        f"{block_path}/entries",
        response=EntryList,
        operation_id=holder.operation("list_entries"),
        summary=f"List the entries of a block of {holder.article}",
    )
    def list_entries(
        request: ApiRequest,
        label: str,
        page: Query[Page],
        key: str = holder.key,
    ) -> dict[str, Any]:
        """The oldest first. Documents of a storage by name, and without their content."""
        block = holder.block(request, key, label)
        if block.source == Block.Source.STORAGE:
            after = decode_cursor(page.cursor, str) if page.cursor else ""
            files, last = page_of_files(block, page.limit, after)
            following = encode_cursor(last) if last else None
            return {"items": [entry_shape(each) for each in files], "next": following}
        shown, following = page_of(Entry.objects.filter(block=block), page)
        return {"items": [entry_shape(each) for each in shown], "next": following}

    @router.get(
        entry_path,
        response=EntryOut,
        operation_id=holder.operation("read_entry"),
        summary=f"Read an entry of a block of {holder.article}",
    )
    def read(
        request: ApiRequest,
        label: str,
        entry: str,
        key: str = holder.key,
    ) -> dict[str, Any]:
        """The entry with its content, and its version to write over."""
        return entry_shape(read_entry(holder.block(request, key, label), entry))

    @router.put(
        entry_path,
        response={200: EntryOut, 201: EntryOut, 202: HeldOut},
        operation_id=holder.operation("write_entry"),
        summary=f"Write an entry of a block of {holder.article}",
    )
    def write(
        request: ApiRequest,
        label: str,
        entry: Id,
        body: EntryIn,
        key: str = holder.key,
    ) -> Status[dict[str, Any]]:
        """
        Write it over, or add it (201). With `version` only if that is the one which is
        there (0: none), else 409 `version_mismatch`.
        """
        result = entries.set_entry(
            block=holder.block(request, key, label),
            key=entry,
            author=holder.author(request),
            **body.model_dump(),
        )
        is_new = isinstance(result, Entry) and result.created_at == result.updated_at
        return written(result, 201 if is_new else 200)

    @router.delete(
        entry_path,
        response={204: None},
        operation_id=holder.operation("delete_entry"),
        summary=f"Delete an entry of a block of {holder.article}",
    )
    def delete(
        request: ApiRequest,
        label: str,
        entry: str,
        key: str = holder.key,
    ) -> Status[None]:
        """Its versions stay: a revert has it back."""
        block = holder.block(request, key, label)
        author = holder.author(request)
        entries.delete_entry(block=block, key=entry, author=author)
        return Status(204, None)

    @router.get(
        f"{block_path}/search",
        response=FoundOut,
        operation_id=holder.operation("search_block"),
        summary=f"Search a block of {holder.article}",
    )
    def search(
        request: ApiRequest,
        label: str,
        q: str,
        key: str = holder.key,
    ) -> dict[str, Any]:
        """The ten best: as entries, and as the text that a model is given."""
        found, text = search_block(holder.block(request, key, label), q)
        items = [entry_shape(each) for each in found]
        return {"items": items, "next": None, "text": text}


add_routes(session_entries, SESSIONS)
add_routes(agent_entries, AGENTS)
