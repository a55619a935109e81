from __future__ import annotations

from django.urls import path

from context_app.dash.blocks import (
    agent_blocks,
    block_delete,
    block_restore,
    block_settings,
    session_blocks,
)
from context_app.dash.context_page import (
    context_json,
    context_part,
    session_context,
)
from context_app.dash.entries import entry_delete, entry_save
from context_app.dash.policy import save_policy
from context_app.dash.prompts_page import prompt_refresh, session_prompts
from context_app.dash.quarantine import quarantine, quarantine_decide
from context_app.dash.versions import block_revert, block_versions
from context_app.dash.writing import block_count, block_preview, block_save

urlpatterns = [
    # blocks
    path("blocks", agent_blocks, name="blocks"),
    path("sessions/<int:pk>/blocks", session_blocks, name="session-blocks"),
    path("blocks/<int:pk>/save", block_save, name="block-save"),
    path("blocks/<int:pk>/count", block_count, name="block-count"),
    path("blocks/<int:pk>/preview", block_preview, name="block-preview"),
    path("blocks/<int:pk>/settings", block_settings, name="block-settings"),
    path("blocks/<int:pk>/delete", block_delete, name="block-delete"),
    path("blocks/<int:pk>/versions", block_versions, name="block-versions"),
    path("blocks/<int:pk>/revert", block_revert, name="block-revert"),
    path("blocks/<int:pk>/entries/save", entry_save, name="entry-save"),
    path("blocks/<int:pk>/entries/delete", entry_delete, name="entry-delete"),
    path("deleted-blocks/<int:pk>/restore", block_restore, name="block-restore"),
    path("quarantine", quarantine, name="quarantine"),
    path("quarantine/<int:pk>", quarantine_decide, name="quarantine-decide"),
    # agents
    path("agents/<int:pk>/policy", save_policy, name="agent-policy"),
    # what the model sees
    path("sessions/<int:pk>/context", session_context, name="session-context"),
    path("sessions/<int:pk>/context/part", context_part, name="context-part"),
    path("sessions/<int:pk>/context.json", context_json, name="context-json"),
    path("sessions/<int:pk>/prompt", session_prompts, name="session-prompts"),
    path("sessions/<int:pk>/prompt/refresh", prompt_refresh, name="prompt-refresh"),
]
