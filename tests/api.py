"""The JSON API as a client of it sees it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from django.apps import apps
from django.test import Client

from sessions_app.models import Agent
from sessions_app.services.registry.keys import create_key

BASE = "/api/v1"


class Api:
    """A client with a key: paths are relative, bodies are sent as JSON."""

    def __init__(self, secret: str | None) -> None:
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        self.client = Client(headers=headers)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Any = None,
        **headers: str,
    ) -> Any:
        """Send a request; bytes are sent as they are, and ``a_b`` is the header A-B."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.client.generic(
            method,
            BASE + path,
            b"" if body is None else content,
            headers.pop("content_type", "application/json"),
            query_params=query,
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )

    def get(self, path: str, **query: Any) -> Any:
        return self.call("GET", path, query=query)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("POST", path, body, **headers)

    def put(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("PUT", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("PATCH", path, body, **headers)

    def delete(self, path: str, **query: Any) -> Any:
        return self.call("DELETE", path, query=query)


def api_of(agent: Agent | None, scope: str = "write") -> Api:
    """Return a client with a new key of an agent, or of all."""
    return Api(create_key(agent=agent, scope=scope)[1])


def escaped(identifier: str) -> str:
    """Return an id as it stands in a path."""
    return quote(identifier, safe="")


def refusal(response: Any) -> tuple[int, str]:
    """Return the status and the code of an error, which must have the one shape."""
    assert response["Content-Type"] == "application/json"
    (error,) = response.json().values()
    assert error.keys() == {"code", "message", "details"}
    assert error["message"]
    assert isinstance(error["details"], dict)
    return response.status_code, error["code"]


def walk(api: Api, path: str, **query: Any) -> list[Any]:
    """Return the items of all pages of a list."""
    items = []
    cursor: str | None = ""
    while cursor is not None:
        page = api.get(path, **query, **({"cursor": cursor} if cursor else {})).json()
        items += page["items"]
        cursor = page["next"]
    return items


def counts() -> dict[str, int]:
    """Return how many rows each of our tables has."""
    ours = [*apps.get_app_config("sessions_app").get_models()]
    return {model.__name__: model._base_manager.count() for model in ours}
