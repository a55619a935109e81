"""The Context tab: what the model sees at a leaf, in every format, and what it costs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.http import HttpResponse
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from context_app.dash.context_choices import changes_of, choices_of
from context_app.dash.context_json import ContextJson
from context_app.dash.context_query import ContextQuery, read_query
from context_app.dash.json_html import render_groups
from context_app.dash.prompt_card import prompt_card
from context_app.dash.token_bar import token_bar
from context_app.working_context import WorkingContext, build_context
from context_app.working_context.shares import share_out
from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import show
from sessions_app.dash.session.head import find_session, head_of
from sessions_app.errors import Invalid, TooLarge
from sessions_app.models import Session

# Bytes of an answer that a browser can show unfolded; larger ones are downloaded.
LARGEST_WHOLE = 4_000_000


@page(Role.VIEWER, nav="sessions")
def session_context(request: PageRequest, pk: int) -> HttpResponse:
    """
    Show it, as the API would answer the same question.

    A question that cannot be answered is shown with the reason, above the default.
    """
    if request.htmx and _leaf_before(request) != request.GET.get("leaf", ""):
        # Another branch: the head of the page is another, too.
        said = {name: value for name, value in request.GET.items() if value}
        return HttpResponseClientRedirect(f"{request.path}?{urlencode(said)}")
    session = find_session(pk)
    head = head_of(request, session, "context")
    error = None
    try:
        query = read_query(request.GET)
        context = build(session, query)
    except Invalid as refused:
        error = refused
        query = ContextQuery(leaf=request.GET.get("leaf") or None)
        context = build(session, query)
    shown = {
        **head,
        **_conversation(request, session, context, query, head["threshold"]),
        **choices_of(request, session, head, context),
        "error": error,
        "prompt": prompt_card(session, context),
    }
    response = show(
        request,
        "context/context.html",
        shown,
        piece="context/_context.html",
        status=422 if error else 200,
    )
    if request.htmx and not error:
        # What was left empty in the form need not be in the address.
        response["HX-Push-Url"] = f"{request.path}?{query.address}"
    return response


@page(Role.VIEWER, nav="sessions")
def context_part(request: PageRequest, pk: int) -> HttpResponse:
    """Answer what a fold stands for, to be put in its place."""
    session = find_session(pk)
    query = read_query(request.GET)
    context = build(session, query)
    shown = ContextJson(context, opened=request.GET.get("open", ""))
    return HttpResponse(render_groups(shown.part(), **_addresses(session, query)))


@page(Role.VIEWER, nav="sessions")
def context_json(request: PageRequest, pk: int) -> HttpResponse:
    """Answer the very bytes that the API would; ``?save`` has a browser keep them."""
    session = find_session(pk)
    query = read_query(request.GET)
    response = HttpResponse(
        build(session, query).json, content_type="application/json; charset=utf-8"
    )
    if "save" in request.GET:
        name = f"context-{session.pk}-{query.format}.json"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def build(session: Session, query: ContextQuery) -> WorkingContext:
    """Build a context for people: looking at a prompt does not freeze it."""
    return build_context(session=session, freeze=False, **asdict(query))


def _conversation(
    request: PageRequest,
    session: Session,
    context: WorkingContext,
    query: ContextQuery,
    threshold: int | None,
) -> dict[str, Any]:
    whole = "whole" in request.GET
    if whole and len(context.json) > LARGEST_WHOLE:
        raise TooLarge("The whole JSON is too long to be shown: download it")
    shown = ContextJson(context, opened=request.GET.get("open", ""), whole=whole)
    shares = share_out(
        prompt=context.prompt.text,
        prompt_tokens=context.tokens.system,
        tools=context.tokens.tools,
        conversation=context.tokens.messages,
        summary=context.conversation.summary_tokens,
    )
    return {
        "seen": context,
        "bar": token_bar(shares, threshold),
        "json": render_groups(shown.groups(), **_addresses(session, query)),
        "json_bytes": len(context.json),
        "is_whole": whole,
        "query": query,
        "curl": query.curl(request.build_absolute_uri("/").rstrip("/"), session.key),
        "repairs": changes_of(context.conversation.repairs, shown),
        "dropped": changes_of(context.conversation.dropped, shown),
    }


def _addresses(session: Session, query: ContextQuery) -> dict[str, str]:
    return {
        "page": f"{reverse('session-context', args=[session.pk])}?{query.address}&open=",
        "part": f"{reverse('context-part', args=[session.pk])}?{query.address}&open=",
    }


def _leaf_before(request: PageRequest) -> str:
    """Return the leaf of the page that an HTMX request comes from."""
    query = urlsplit(request.htmx.current_url or "").query
    return parse_qs(query).get("leaf", [""])[-1]
