"""The system prompt of a session: rendered once, and then kept until it is refreshed."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.utils.timezone import now

from context_app.diffs import diff
from context_app.models import Prompt
from context_app.providers import PythonBlock, StorageUnavailable
from context_app.rendering import render_prompt
from context_app.services.contexts import ContextBlock, context_of, keep_seen
from context_app.services.policies import policy_of
from sessions_app.models import Session
from sessions_app.services.forest.locking import lock_session
from sessions_app.tokens import text_tokens

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Refreshed:
    """A prompt after a refresh, or as it would be then, and what that changes."""

    prompt: Prompt
    diff: str


def freeze_prompt(*, session: Session, own: Sequence[PythonBlock] = ()) -> Prompt:
    """
    Return the frozen prompt of a session. The first call renders it; calls that come
    at the same time get the same row.

    A storage that fails is taken as it was last seen: without a prompt an agent could
    not do anything.
    """
    frozen = current_prompt(session)
    if frozen is not None:
        return frozen
    try:
        blocks = context_of(session, own, live=True)
    except StorageUnavailable as failure:
        logger.warning("Frozen as last seen, session %s: %s", session.key, failure)
        blocks = context_of(session, own)
    text = _printed(session, blocks)
    with transaction.atomic():
        session = lock_session(session)
        frozen = current_prompt(session)
        if frozen is None:
            keep_seen(blocks)
            frozen = _store(_new(session, text, None, own))
        return frozen


def refresh_prompt(
    *, session: Session, own: Sequence[PythonBlock] = (), dry_run: bool = False
) -> Refreshed:
    """
    Render a prompt anew and freeze that. Where nothing changed, the version stays.

    A dry run writes nothing: its prompt is the one that a refresh would make.

    :raises StorageUnavailable: if a storage of skills does not answer
    """
    blocks = context_of(session, own, live=True)
    text = _printed(session, blocks)
    if dry_run:
        before = current_prompt(session)
        prompt = _new(session, text, before, own)
    else:
        with transaction.atomic():
            session = lock_session(session)
            before = current_prompt(session)
            keep_seen(blocks)
            prompt = _store(_new(session, text, before, own))
    return Refreshed(prompt, diff(before.text if before else "", text))


def foresee_prompt(session: Session) -> Prompt:
    """
    Return the prompt that a refresh would make, without asking any storage: for what
    is looked at often.
    """
    return _new(session, render(session), current_prompt(session))


def renew_frozen(session: Session) -> None:
    """
    Refresh a prompt within the caller's transaction, if there is one.

    What a storage holds is taken as it was last seen: it is not asked. A prompt with
    blocks of a host is the host's to refresh.
    """
    before = current_prompt(session)
    if before is not None and not before.hosted:
        _store(_new(session, render(session), before))


def is_stale(session: Session, prompt: Prompt, own: Sequence[PythonBlock] = ()) -> bool:
    """Say whether the blocks are not any more what was frozen."""
    return sha256(render(session, own)) != prompt.sha256


def render(
    session: Session, own: Sequence[PythonBlock] = (), *, live: bool = False
) -> str:
    """Return the prompt as the blocks are now; see ``context_of`` for ``live``."""
    return _printed(session, context_of(session, own, live=live))


def current_prompt(session: Session) -> Prompt | None:
    return prompts_of(session).first()


def prompts_of(session: Session) -> QuerySet[Prompt]:
    """Return all that were ever frozen, the newest first."""
    return Prompt.objects.filter(session=session).order_by("-version")


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _printed(session: Session, blocks: Sequence[ContextBlock]) -> str:
    return render_prompt(blocks, usage=policy_of(session.agent_id).usage_in_headers)


def _store(prompt: Prompt) -> Prompt:
    if prompt._state.adding:
        prompt.save(force_insert=True)
    return prompt


def _new(
    session: Session, text: str, before: Prompt | None, own: Sequence[PythonBlock] = ()
) -> Prompt:
    """Return a text as the next version, not stored yet; or the one that it is already."""
    if before is not None and before.text == text:
        return before
    return Prompt(
        session=session,
        version=before.version + 1 if before else 1,
        text=text,
        sha256=sha256(text),
        tokens=text_tokens(text),
        hosted=bool(own),
        frozen_at=now(),
    )
