"""What stands over every tab of a session: its name, where one is, and its figures."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import Http404

from sessions_app.dash.access import PageRequest
from sessions_app.dash.reading import uid_in
from sessions_app.models import Session
from sessions_app.services.compaction.plans import threshold_of
from sessions_app.services.forest.history import read_history
from sessions_app.services.forest.trees import (
    Node,
    count_branches,
    labels,
    leaves,
    previews,
)

# Branches in the selector; the tree shows all.
SELECTABLE = 12


def find_session(pk: int) -> Session:
    """Return a session with its agent, head and fork point; else the page is a 404."""
    found = Session.objects.living().select_related(
        "agent", "head", "fork_point", "parent_session"
    )
    session = found.defer("head__body", "fork_point__body").filter(pk=pk).first()
    if session is None:
        raise Http404(f"There is no session {pk} (any more).")
    return session


def head_of(
    request: PageRequest, session: Session, tab: str, leaf: str | None = None
) -> dict[str, Any]:
    """
    Return what ``session/base.html`` shows, for a branch: by default that of ``?leaf=``.

    ``leaf`` is the id of the message that the path shown ends with (None for an empty
    session), ``leaf_query`` what a link to another tab carries along.
    """
    count = count_branches(session)
    spent = (
        session.input_tokens + session.cache_read_tokens + session.cache_write_tokens
    )
    return {
        **figures_of(session, leaf or uid_in(request.GET, "leaf") or None),
        "tab": tab,
        "branch_count": count,
        "cache_hits": 100 * session.cache_read_tokens / spent if spent else None,
        "branches": branches_of(session),
        "more_branches": count > SELECTABLE,
        "compaction_count": session.compactions.count(),
    }


def figures_of(session: Session, leaf: str | None) -> dict[str, Any]:
    """Return what the head says of a branch, by default of the main path."""
    path = read_history(session, leaf=leaf, limit=1)
    is_head = path.leaf == path.head
    return {
        "session": session,
        "leaf": path.leaf,
        "is_head": is_head,
        "leaf_query": "" if is_head else "?" + urlencode({"leaf": path.leaf}),
        "path_length": path.path_length,
        "context_tokens": path.context_tokens,
        "threshold": threshold_of(session),
    }


def branches_of(session: Session) -> list[dict[str, Any]]:
    """Return the newest branches: where each ends, its label or last words, its length."""
    nodes: list[Node] = leaves(session, before=None, limit=SELECTABLE)[:SELECTABLE]
    ids = [node.id for node in nodes]
    named, words = labels(session, ids), previews(ids)
    return [
        {
            "leaf": node.uid,
            "label": named.get(node.id, ""),
            "preview": words.get(node.id, ""),
            "length": node.depth + 1,
            "is_head": node.id == session.head_id,
        }
        for node in nodes
    ]
