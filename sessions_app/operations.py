"""Migration operations that Django does not have."""

from __future__ import annotations

from typing import Any

from django.db import migrations


class VendorSQL(migrations.RunSQL):
    """
    RunSQL for one database vendor, and nothing on the others.

    ``sql`` and ``reverse_sql`` are lists with one statement an item. The models'
    state is left alone, so makemigrations sees the same models everywhere.
    """

    def __init__(self, vendor: str, sql: list[str], reverse_sql: list[str]) -> None:
        super().__init__([*sql], [*reverse_sql])
        self.vendor = vendor

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return (
            self.__class__.__qualname__,
            [self.vendor, self.sql, self.reverse_sql],
            {},
        )

    def database_forwards(
        self, app_label: str, schema_editor: Any, *states: Any
    ) -> None:
        if schema_editor.connection.vendor == self.vendor:
            super().database_forwards(app_label, schema_editor, *states)

    def database_backwards(
        self, app_label: str, schema_editor: Any, *states: Any
    ) -> None:
        if schema_editor.connection.vendor == self.vendor:
            super().database_backwards(app_label, schema_editor, *states)

    def describe(self) -> str:
        return f"SQL on {self.vendor} only"
