from __future__ import annotations

from typing import Any

from context_app.entry_keys import entry_key
from context_app.models import HeldWrite
from context_app.rendering import usage_percent
from context_app.services.contexts import (
    ContextBlock,
    Written,
    write_entry,
    write_text,
)
from context_app.tools.shapes import (
    Arguments,
    BadArguments,
    Desk,
    of_labels,
    text_argument,
)
from sessions_app.formats import Definition
from sessions_app.tokens import text_tokens

NAME = "set_context"

HELD = (
    'Held for review: what was to be written to "{}" looks like prompt injection. '
    "An operator has to approve it."
)

METADATA = {
    "type": "object",
    "description": "Of keyed blocks only",
    "properties": {
        "title": {"type": "string", "description": "Names the entry"},
        "description": {"type": "string", "description": "Says what is in it"},
    },
}


def define(desk: Desk) -> Definition | None:
    """Of limits it says nothing, so that it stays the same, and is cached."""
    blocks = [block for block in desk.blocks if block.writable]
    if not blocks:
        return None
    lines = [
        "Write to a block of your memory. It is kept, in this and in later sessions.",
        "Blocks:",
        *(
            f'- "{block.label}" ({_kind(block)}): {block.description or "no description"}'
            for block in blocks
        ),
    ]
    schema = of_labels(
        blocks, content={"type": "string", "description": "The text to write"}
    )
    schema["properties"]["action"] = {
        "type": "string",
        "enum": ["replace", "append"],
        "description": "What becomes of the text that is there; by default replace",
    }
    if any(block.is_keyed for block in blocks):
        schema["properties"]["metadata"] = METADATA
        lines.append(
            "Entries of keyed blocks are known by metadata.title: write with the same "
            "title to change one. metadata.description helps to choose among them."
        )
    return Definition(NAME, "\n".join(lines), schema)


def run(desk: Desk, arguments: Arguments) -> str:
    label = text_argument(arguments, "label")
    content = text_argument(arguments, "content")
    block = next((block for block in desk.blocks if block.label == label), None)
    if block is None:
        return f'Error: block "{label}" not found'
    if block.is_keyed:
        return _write_entry(desk, block, content, _metadata(arguments))
    append = arguments.get("action") == "append"
    written = write_text(block, content, desk.author(NAME), append=append)
    if isinstance(written, HeldWrite):
        return HELD.format(label)
    return f"Written to {label}. Usage: {_usage(block, written)}"


def _write_entry(
    desk: Desk, block: ContextBlock, content: str, metadata: Arguments
) -> str:
    title = metadata.get("title")
    key = entry_key(content, title)
    description = metadata.get("description", title)
    written = write_entry(block, key, content, description, desk.author(NAME))
    if isinstance(written, HeldWrite):
        return HELD.format(block.label)
    return f'Indexed "{key}" in {block.label}.'


def _metadata(arguments: Arguments) -> Arguments:
    metadata = arguments.get("metadata")
    if metadata is None:
        return {}
    if not isinstance(metadata, dict):
        raise BadArguments('"metadata" must be an object')
    given = {name: value for name, value in metadata.items() if value is not None}
    return {
        name: text_argument(given, name)
        for name in METADATA["properties"]
        if name in given
    }


def _usage(block: ContextBlock, written: Written) -> str:
    content: Any = getattr(written, "content", block.content)
    tokens = text_tokens(content)
    if not block.max_tokens:
        return f"{tokens} tokens"
    percent = usage_percent(tokens, block.max_tokens)
    return f"{percent}% ({tokens}/{block.max_tokens} tokens)"


def _kind(block: ContextBlock) -> str:
    if block.is_skill:
        return "skill collection, keyed entries"
    return "searchable, keyed entries" if block.is_searchable else "writable"
