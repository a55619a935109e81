from __future__ import annotations

from django.apps import AppConfig


class ContextConfig(AppConfig):
    name = "context_app"
    verbose_name = "Context"

    def ready(self) -> None:
        from context_app.services import (  # noqa: PLC0415
            belongings,
            followers,
            searching,
        )

        followers.register()
        belongings.register()
        searching.register()
