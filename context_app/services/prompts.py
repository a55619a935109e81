"""The system prompt of a session: rendered once, and then kept until it is refreshed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.utils.timezone import now

from context_app.diffs import diff
from context_app.models import Prompt
from context_app.providers import PythonBlock
from context_app.rendering import render_prompt
from context_app.services.contexts import context_of
from context_app.services.policies import policy_of
from sessions_app.models import Session
from sessions_app.services.locking import lock_session
from sessions_app.tokens import text_tokens


@dataclass(slots=True)
class Refreshed:
    """A prompt after a refresh, or as it would be then, and what that changes."""

    prompt: Prompt
    diff: str


def freeze_prompt(*, session: Session, own: Sequence[PythonBlock] = ()) -> Prompt:
    """
    Return the frozen prompt of a session. The first call renders it; calls that come
    at the same time get the same row.
    """
    frozen = current_prompt(session)
    if frozen is not None:
        return frozen
    text = render(session, own, live=True)
    with transaction.atomic():
        session = lock_session(session)
        return current_prompt(session) or _store(_new(session, text, None, own))


def refresh_prompt(
    *, session: Session, own: Sequence[PythonBlock] = (), dry_run: bool = False
) -> Refreshed:
    """
    Render a prompt anew and freeze that. Where nothing changed, the version stays.

    A dry run writes nothing: its prompt is the one that a refresh would make.
    """
    text = render(session, own, live=not dry_run)
    if dry_run:
        before = current_prompt(session)
        prompt = _new(session, text, before, own)
    else:
        with transaction.atomic():
            session = lock_session(session)
            before = current_prompt(session)
            prompt = _store(_new(session, text, before, own))
    return Refreshed(prompt, diff(before.text if before else "", text))


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
    blocks = context_of(session, own, live=live)
    return render_prompt(blocks, usage=policy_of(session.agent_id).usage_in_headers)


def current_prompt(session: Session) -> Prompt | None:
    return prompts_of(session).first()


def prompts_of(session: Session) -> QuerySet[Prompt]:
    """Return all that were ever frozen, the newest first."""
    return Prompt.objects.filter(session=session).order_by("-version")


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


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
