"""The JSON API: one NinjaAPI, and the routers of each app mounted on it."""

from __future__ import annotations

from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from context_app.api.routes import ROUTERS as CONTEXT
from memoryhub import __version__
from memoryhub.json_bodies import JsonParser, JsonRenderer
from memoryhub.openapi import describe_parameters, describe_refusals
from memoryhub.routes import Route, with_wide_ids
from sessions_app.api import (
    agents,
    budgets,
    changes,
    compacting,
    compactions,
    forks,
    health,
    history,
    keys,
    kinds,
    messages,
    search,
    sessions,
    transfer,
    turns,
    usage,
    webhooks,
)
from sessions_app.api.auth import KeyAuth
from sessions_app.api.errors import install_error_handlers

DESCRIPTION = """
Memory for agents: conversations as trees that keep within a model's context.

Send `Authorization: Bearer <key>`. Lists are `{"items": [...], "next": cursor}`;
errors are `{"error": {"code", "message", "details"}}`. Times are ISO 8601 in UTC.
Every POST takes an `Idempotency-Key`: the same key and body answer the first reply
again. Ids in a path are percent-encoded; one with a slash is found as well, unless its
path is also that of another endpoint.
"""


class MemoryHubAPI(NinjaAPI):
    @property
    def urls(self) -> tuple[list[Route], str, str]:
        patterns, app_name, namespace = super().urls
        return with_wide_ids(patterns), app_name, namespace

    def get_openapi_schema(self, **kwargs: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(**kwargs)
        describe_parameters(schema)
        describe_refusals(schema)
        return schema


api = MemoryHubAPI(
    title="MemoryHub",
    version=__version__,
    description=DESCRIPTION,
    auth=KeyAuth(),
    parser=JsonParser(),
    renderer=JsonRenderer(),
)
install_error_handlers(api)

api.add_router("", health.router)
api.add_router("/sessions", sessions.router)
api.add_router("/sessions", forks.router)
api.add_router("/sessions", messages.router)
api.add_router("/sessions", changes.router)
api.add_router("/sessions", turns.router)
api.add_router("/sessions", history.router)
# Its compactions/plan goes before compactions/{cid}.
api.add_router("/sessions", compacting.router)
api.add_router("/sessions", compactions.router)
api.add_router("", transfer.router)
api.add_router("", search.router)
api.add_router("", usage.router)
api.add_router("", budgets.router)
api.add_router("/webhooks", webhooks.router)
api.add_router("/agents", agents.router)
api.add_router("/keys", keys.router)
api.add_router("", kinds.router)
for prefix, router in CONTEXT:
    api.add_router(prefix, router)
