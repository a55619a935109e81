from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import models
from django.utils.timezone import now


class TimeField(models.DateTimeField):  # type: ignore[type-arg]
    """
    A moment, kept as whole milliseconds since 1970.

    Python sees an aware datetime. Hand-written SQL sees an integer, which is the
    same on every database, sorts as it stands and needs no parsing.
    """

    def get_internal_type(self) -> str:
        return "BigIntegerField"

    def to_python(self, value: Any) -> Any:
        if isinstance(value, int):
            return from_millis(value)
        return super().to_python(value)

    def from_db_value(self, value: int | None, *args: Any) -> datetime | None:
        return None if value is None else from_millis(value)

    def get_prep_value(self, value: Any) -> Any:
        value = self.to_python(value)
        return None if value is None else to_millis(value)

    def get_db_prep_value(
        self,
        value: Any,
        connection: Any,
        prepared: bool = False,  # noqa: FBT001, FBT002 (Django's)
    ) -> Any:
        return value if prepared else self.get_prep_value(value)


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def to_millis(moment: datetime) -> int:
    """Return a moment in milliseconds, rounded down; without a time zone it is UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - EPOCH) // MILLISECOND


def from_millis(millis: int) -> datetime:
    return EPOCH + millis * MILLISECOND


def now_millis() -> int:
    return to_millis(now())
