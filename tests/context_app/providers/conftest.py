from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings


@pytest.fixture
def folder(settings: Settings, tmp_path: Path) -> Path:
    """The folder of the skills, empty."""
    settings.STORAGES = {
        **settings.STORAGES,
        "skills": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path, "allow_overwrite": True},
        },
    }
    return tmp_path
