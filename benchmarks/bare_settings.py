from __future__ import annotations

ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "benchmarks.bare"
SECRET_KEY = "bare"  # noqa: S105
