"""A host's own objects, whose methods may be async: called, and waited for."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from typing import Any

from asgiref.sync import async_to_sync


def settle(value: Any) -> Any:
    """Return a value, or what it comes to, if it is to be awaited."""
    return async_to_sync(_await)(value) if inspect.isawaitable(value) else value


class Settled:
    """
    An object with the same methods as another, none of which is async.

    It has no methods but those, so that what it can do is still told by them.
    """

    def __init__(self, source: object) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._source, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            return settle(method(*args, **kwargs))

        return call


async def _await(value: Awaitable[Any]) -> Any:
    return await value
