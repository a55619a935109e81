"""How the API reads the JSON of a request, and writes that of an answer."""

from __future__ import annotations

import json
from typing import Any

import orjson
from django.http import HttpRequest
from ninja.parser import Parser
from ninja.renderers import BaseRenderer
from ninja.types import DictStrAny

from sessions_app.api.bodies import parse
from sessions_app.errors import Invalid

# Of arrays and objects in one another, for what is not a message.
MAX_DEPTH = 100


class JsonParser(Parser):
    def parse_body(self, request: HttpRequest) -> DictStrAny:
        """
        :raises Invalid: if the body is not JSON, or something in it cannot be stored
        """
        content = request.body
        body: DictStrAny = parse(content, Any)
        if content.count(b"{") + content.count(b"[") > MAX_DEPTH:
            _check_depth(body)
        if b"\\u0000" in content and _holds_nul(body):
            raise Invalid("The body holds a NUL character (\\u0000)")
        return body


class JsonRenderer(BaseRenderer):
    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        try:
            return orjson.dumps(data)
        except TypeError:
            # A number of more than 64 bits.
            return json.dumps(data, ensure_ascii=False)


def _check_depth(value: Any, left: int = MAX_DEPTH) -> None:
    if not isinstance(value, dict | list):
        return
    if not left:
        raise Invalid(f"The body is nested deeper than {MAX_DEPTH} levels")
    for each in value.values() if isinstance(value, dict) else value:
        _check_depth(each, left - 1)


def _holds_nul(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(each) for pair in value.items() for each in pair)
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\0" in value
