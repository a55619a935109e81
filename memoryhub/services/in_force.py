"""The settings that are in force, as the system page shows them: never a secret."""

from __future__ import annotations

from typing import Any

from django.conf import settings

# Each by its variable. What holds a key or a password is not here, and an address may
# carry one: of those only whether they are set.
SHOWN = {
    "MEMORYHUB_DATA_DIR": "DATA_DIR",
    "MEMORYHUB_ALLOWED_HOSTS": "ALLOWED_HOSTS",
    "MEMORYHUB_TRUSTED_ORIGINS": "CSRF_TRUSTED_ORIGINS",
    "MEMORYHUB_URL_PREFIX": "FORCE_SCRIPT_NAME",
    "MEMORYHUB_BEHIND_TLS": "BEHIND_TLS",
    "MEMORYHUB_MAX_BODY_BYTES": "MAX_BODY_BYTES",
    "MEMORYHUB_MAX_BATCH": "MAX_BATCH",
    "MEMORYHUB_MAX_UPLOAD_BYTES": "MAX_UPLOAD_BYTES",
    "MEMORYHUB_BACKUPS_KEPT": "BACKUPS_KEPT",
    "MEMORYHUB_TRASH_DAYS": "TRASH_DAYS",
    "MEMORYHUB_BUSY_TIMEOUT": "BUSY_TIMEOUT",
    "MEMORYHUB_SQLITE_SYNCHRONOUS": "SQLITE_SYNCHRONOUS",
    "MEMORYHUB_ALLOW_UNSAFE_SQLITE": "ALLOW_UNSAFE_SQLITE",
    "MEMORYHUB_SUMMARIZER": "SUMMARIZER",
    "MEMORYHUB_SUMMARIZER_MODEL": "SUMMARIZER_MODEL",
    "MEMORYHUB_SUMMARIZER_TIMEOUT": "SUMMARIZER_TIMEOUT",
    "MEMORYHUB_SUMMARIZER_PROMPT_TOKENS": "SUMMARIZER_PROMPT_TOKENS",
    "MEMORYHUB_SKILLS_BUCKET": "SKILLS_BUCKET",
    "MEMORYHUB_LOGIN_ATTEMPTS": "AXES_FAILURE_LIMIT",
    "MEMORYHUB_LOG_LEVEL": "LOG_LEVEL",
    "MEMORYHUB_DEBUG": "DEBUG",
}
WHETHER = {
    "DATABASE_URL": "ELSEWHERE",
    "MEMORYHUB_SUMMARIZER_URL": "SUMMARIZER_URL",
    "MEMORYHUB_SUMMARIZER_KEY": "SUMMARIZER_KEY",
}


def settings_in_force() -> list[tuple[str, str]]:
    shown = [(name, _text(getattr(settings, own))) for name, own in SHOWN.items()]
    given = [
        (name, "set" if getattr(settings, own) else "not set")
        for name, own in WHETHER.items()
    ]
    return sorted([*shown, *given])


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, int):
        return f"{value:,}"
    return "" if value is None else str(value)
