"""What a context has besides its messages: the prompt, the policy, the tools."""

from __future__ import annotations

from operator import attrgetter
from typing import NamedTuple

from context_app.models import AgentPolicy, Block
from context_app.services.prompts import (
    current_prompt,
    foresee_prompt,
    freeze_prompt,
    is_stale,
)
from context_app.tools import definitions
from context_app.working_context.caching import ContentCache
from sessions_app import sql
from sessions_app.formats import get_format
from sessions_app.messages import print_json
from sessions_app.models import Session
from sessions_app.tokens import text_tokens

# Of a session: its frozen prompt, and its agent's policy. Parameters: session.
FRAME = """
SELECT
    prompt.version, prompt.sha256, prompt.tokens, prompt.text,
    policy.strategy, policy.strategy_size, policy.usage_in_headers,
    policy.session_search
FROM sessions_app_session session
LEFT JOIN context_app_prompt prompt ON prompt.id = (
    SELECT newest.id
    FROM context_app_prompt newest
    WHERE newest.session_id = session.id
    ORDER BY newest.version DESC
    LIMIT 1
)
LEFT JOIN context_app_agentpolicy policy ON policy.agent_id = session.agent_id
WHERE session.id = %(session)s
"""

# What a policy says that nobody made.
POLICY = ("strategy", "strategy_size", "usage_in_headers", "session_search")
UNSET = attrgetter(*POLICY)(AgentPolicy())

# All that the prompt and the tools are made of. Parameters: session.
BLOCKS = """
SELECT
    block.id, block.label, block.description, block.kind, block.source, block.content,
    block.tokens, block.max_tokens, block.position, CAST(block.storage AS text)
FROM sessions_app_session session
JOIN context_app_block block
    ON block.session_id = session.id
    OR (block.agent_id = session.agent_id AND block.shared)
WHERE session.id = %(session)s
ORDER BY block.position, block.id
"""


class Frozen(NamedTuple):
    version: int
    sha256: str
    tokens: int
    text: str


class Defaults(NamedTuple):
    """What the agent's policy says, or nothing does."""

    strategy: str
    strategy_size: int | None


class Tools(NamedTuple):
    """The tools as JSON, what they take, and whether the prompt is stale."""

    json: bytes
    tokens: int
    stale: bool


class Frame(NamedTuple):
    prompt: Frozen
    defaults: Defaults
    tools: Tools


_cache: ContentCache[Tools] = ContentCache(8 * 1024 * 1024)


def read_frame(
    session_id: int,
    format: str,  # noqa: A002 (the API's word)
    *,
    leaf: str | None = None,
    freeze: bool = True,
) -> Frame:
    """Return all but the messages; a first call freezes the prompt, unless told not to."""
    row = sql.one(FRAME, session=session_id)
    if row[0] is None and freeze:
        freeze_prompt(session=Session.objects.get(id=session_id))
        row = sql.one(FRAME, session=session_id)
    prompt = Frozen(*row[:4]) if row[0] else _unfrozen(session_id)
    strategy, size, *shown = (
        unset if value is None else value
        for value, unset in zip(row[4:], UNSET, strict=True)
    )
    blocks = sql.rows(BLOCKS, session=session_id)
    tools = _tools(session_id, format, leaf, prompt, blocks, shown)
    return Frame(prompt, Defaults(strategy, size), tools)


def _unfrozen(session_id: int) -> Frozen:
    """Return the prompt that a first call would freeze, as version 0."""
    session = Session.objects.get(id=session_id)
    made = foresee_prompt(session)
    return Frozen(0, made.sha256, made.tokens, made.text)


def _tools(
    session_id: int,
    format: str,  # noqa: A002
    leaf: str | None,
    prompt: Frozen,
    blocks: list[sql.Row],
    shown: list[object],
) -> Tools:
    if any(row[3] == Block.Kind.SKILL for row in blocks):
        # What is loaded follows from the messages, and the tools tell of it.
        return _make_tools(session_id, format, leaf)
    key = (format, prompt.sha256, *shown, *blocks)
    made = _cache.get(key)
    if made is None:
        made = _make_tools(session_id, format)
        # Unless they were made of what somebody has just written.
        if sql.rows(BLOCKS, session=session_id) == blocks:
            size = len(made.json) + sum(len(row[5]) for row in blocks)
            _cache.put(key, made, size)
    return made


def _make_tools(
    session_id: int,
    format: str,  # noqa: A002
    leaf: str | None = None,
) -> Tools:
    session = Session.objects.get(id=session_id)
    prompt = current_prompt(session)
    found = definitions(session, leaf=leaf)
    tools = print_json(get_format(format).tools(found))
    return Tools(
        json=tools,
        tokens=text_tokens(tools.decode()) if found else 0,
        stale=prompt is not None and is_stale(session, prompt),
    )
