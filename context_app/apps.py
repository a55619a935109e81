from __future__ import annotations

from django.apps import AppConfig


class ContextConfig(AppConfig):
    name = "context_app"
    verbose_name = "Context"

    def ready(self) -> None:
        from context_app.services.followers import register  # noqa: PLC0415

        register()
