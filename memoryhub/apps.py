from __future__ import annotations

from django.apps import AppConfig


class MemoryHubConfig(AppConfig):
    name = "memoryhub"

    def ready(self) -> None:
        from memoryhub import checks  # noqa: F401 PLC0415 (registers the checks)
