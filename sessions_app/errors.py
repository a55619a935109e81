"""
The errors that the domain raises on purpose.

A kind is named for what went wrong and not for a status code: each face turns a
kind into its own answer (the API into a status, the admin into a message). A
specific error subclasses one kind, next to the code that raises it, with a
``code`` of its own.
"""

from __future__ import annotations

from typing import Any, ClassVar


class MemoryHubError(Exception):
    """An expected failure, with a message fit to show to the caller."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class NotFound(MemoryHubError):
    """It is not there, or not the caller's to see."""

    code = "not_found"


class Invalid(MemoryHubError):
    """The request cannot be carried out as it stands, now or later."""

    code = "invalid"


class Conflict(MemoryHubError):
    """The request does not fit the state that is stored now."""

    code = "conflict"


class Forbidden(MemoryHubError):
    """The caller is known, and may not do this."""

    code = "forbidden"


class Failed(MemoryHubError):
    """
    Something outside, which this needs, did not do its part; it may the next time.

    ``retry_after`` is for how many seconds it has asked to be left alone.
    """

    def __init__(self, message: str, *, retry_after: float = 0, **details: Any) -> None:
        super().__init__(message, **details)
        self.retry_after = retry_after


class BudgetExceeded(MemoryHubError):
    """More was spent than somebody allows; the one refusal that leaves something behind."""

    code = "budget_exceeded"


class TooLarge(MemoryHubError):
    """More than one request may carry."""

    code = "too_large"


class RateLimited(MemoryHubError):
    """Asked too often; ``details["retry_after"]`` is for how many seconds not to."""

    code = "rate_limited"
