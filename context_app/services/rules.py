"""
What every write to memory is held to, whichever way it comes.

The texts that a model sees are those of the reference (../spec/sessions.md, section
6.3), but for a label that there is not: that said "readonly".
"""

from __future__ import annotations

from typing import Any

from django.db.models import Max

from context_app.authors import Author
from context_app.models import AgentPolicy, Block
from context_app.scanning import fresh, scan
from context_app.services.finding import agent_id_of
from context_app.services.policies import policy_of
from sessions_app.errors import Conflict, Invalid
from sessions_app.messages import check_name
from sessions_app.tokens import text_tokens


class ReadonlyBlock(Invalid):
    code = "readonly"


class KeyedBlock(Invalid):
    code = "keyed_block"


class NotKeyed(Invalid):
    code = "not_keyed"


class ExceedsMaxTokens(Invalid):
    code = "exceeds_max_tokens"


class VersionMismatch(Conflict):
    code = "version_mismatch"


def check_label(label: str) -> None:
    """
    :raises Invalid: if a block cannot have it
    """
    check_name(label, "label", 200)
    if scan(label):
        # It cannot be held, nor marked: it is what the block is known by.
        raise Invalid("label: looks like prompt injection", field="label")


def check_text(text: str, where: str) -> None:
    """
    :raises Invalid: if a text holds what not every database can store
    """
    if "\0" in text:
        raise Invalid(f"{where}: holds a NUL character", field=where)
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise Invalid(
            f"{where}: holds half a character (a lone surrogate)", field=where
        )


def check_limit(label: str, max_tokens: int | None, content: str) -> int:
    """
    Return the tokens of a content. A limit of 0 leaves room for nothing.

    :raises ExceedsMaxTokens: if that is more than the block may take
    """
    tokens = text_tokens(content)
    if max_tokens is not None and tokens > max_tokens:
        raise _exceeds(label, tokens, max_tokens)
    return tokens


def _exceeds(label: str, tokens: int, max_tokens: int) -> ExceedsMaxTokens:
    return ExceedsMaxTokens(
        f'Block "{label}" exceeds maxTokens: {tokens} > {max_tokens}',
        tokens=tokens,
        max_tokens=max_tokens,
    )


def check_entries(block: Block) -> None:
    """
    :raises ExceedsMaxTokens: if an entry that is there is more than the block may take
    """
    if block.max_tokens is None or not block.is_keyed:
        return
    most = block.entries.aggregate(most=Max("tokens"))["most"] or 0
    if most > block.max_tokens:
        raise _exceeds(block.label, most, block.max_tokens)


def check_takes_text(block: Block, author: Author) -> None:
    """
    :raises ReadonlyBlock: if only an operator may write the block
    :raises KeyedBlock: if it holds entries
    """
    if block.kind == Block.Kind.READONLY and not author.is_operator:
        raise ReadonlyBlock(f'Block "{block.label}" is readonly')
    if block.is_keyed:
        raise KeyedBlock(
            f'Block "{block.label}" is a keyed provider. '
            "Use setSkill() or setSearchEntry() instead."
        )


def check_takes_entries(block: Block) -> None:
    """
    :raises NotKeyed: if it is one text
    :raises ReadonlyBlock: if its entries are not ours to write
    """
    if not block.is_keyed:
        raise NotKeyed(f'Block "{block.label}" does not hold entries')
    if not block.writable:
        raise ReadonlyBlock(f'Block "{block.label}" does not support writes')


def check_version(what: str, version: int | None, current: int) -> None:
    """
    Compare and set: ``version`` is what the writer has seen; None writes in any case.

    :raises VersionMismatch: if another one is there now
    """
    if version is not None and version != current:
        raise VersionMismatch(
            f"{what} is at version {current} now, not {version}: read it again",
            version=current,
        )


def findings_in(block: Block, *texts: str) -> list[dict[str, Any]]:
    """Return what the scan finds in the texts of a write, if the agent has it done."""
    if policy_of(agent_id_of(block)).scan == AgentPolicy.Scan.OFF:
        return []
    return [finding.as_json() for text in texts for finding in scan(text)]


def findings_of(block: Block) -> list[dict[str, Any]]:
    """Return what the scan finds in a block's own texts; its entries have theirs."""
    texts = (
        [block.description] if block.is_keyed else [block.content, block.description]
    )
    return findings_in(block, *texts)


def must_be_held(
    block: Block, author: Author, *changes: tuple[str, str]
) -> list[dict[str, Any]]:
    """
    Return the findings for which a write is to be held; none lets it pass.

    ``changes`` are texts as (new, old): what stands there already was let in once.
    """
    policy = policy_of(agent_id_of(block))
    if author.is_operator or policy.scan != AgentPolicy.Scan.QUARANTINE:
        return []
    return [
        finding.as_json() for new, old in changes for finding in fresh(new, known=old)
    ]
