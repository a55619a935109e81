"""
All settings, in one file. Every environment variable is read here, and has its
row in docs/configuration.md.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

import django_stubs_ext
import environ
from csp.constants import NONE, SELF

import memoryhub.sqlite  # noqa: F401 (puts the newer SQLite in place, before Django looks)
from memoryhub import __version__

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

# Where everything is kept: the database, the secret key, locks.
DATA_DIR = Path(env.str("MEMORYHUB_DATA_DIR", str(BASE_DIR / "data"))).absolute()


def kept_secret(path: Path) -> str:
    """Return the secret in a file, which the first caller makes."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(50))
    return path.read_text().strip()


SECRET_KEY = env.str("MEMORYHUB_SECRET_KEY", "") or kept_secret(DATA_DIR / "secret_key")
DEBUG = env.bool("MEMORYHUB_DEBUG", False)
ALLOWED_HOSTS = env.list(
    "MEMORYHUB_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"]
)
CSRF_TRUSTED_ORIGINS = env.list("MEMORYHUB_TRUSTED_ORIGINS", default=[])
FORCE_SCRIPT_NAME = env.str("MEMORYHUB_URL_PREFIX", "") or None

# Limits on one request to the API.
MAX_BODY_BYTES = env.int("MEMORYHUB_MAX_BODY_BYTES", 8 * 1024 * 1024)
MAX_BATCH = env.int("MEMORYHUB_MAX_BATCH", 1000)
# All files of one upload together, and a body of POST /import.
MAX_UPLOAD_BYTES = env.int("MEMORYHUB_MAX_UPLOAD_BYTES", 512 * 1024 * 1024)
UPLOADS_DIR = DATA_DIR / "uploads"
FILE_UPLOAD_TEMP_DIR = DATA_DIR
# The newest daily backups that are kept; 0: none are made by themselves.
BACKUPS_DIR = DATA_DIR / "backups"
BACKUPS_KEPT = env.int("MEMORYHUB_BACKUPS_KEPT", 7)
# The body is measured where it is read; Django's own limit would answer a bare 400.
DATA_UPLOAD_MAX_MEMORY_SIZE = None

# How long deleted sessions can be brought back from the pages; 0 keeps them for ever.
TRASH_DAYS = env.int("MEMORYHUB_TRASH_DAYS", 30)

# Who makes the summaries of compactions: auto, extractive or openai.
SUMMARIZER = env.str("MEMORYHUB_SUMMARIZER", "auto")
SUMMARIZER_URL = env.str("MEMORYHUB_SUMMARIZER_URL", "")
SUMMARIZER_MODEL = env.str("MEMORYHUB_SUMMARIZER_MODEL", "")
SUMMARIZER_KEY = env.str("MEMORYHUB_SUMMARIZER_KEY", "").strip()
SUMMARIZER_TIMEOUT = env.float("MEMORYHUB_SUMMARIZER_TIMEOUT", 60.0)
SUMMARIZER_PROMPT_TOKENS = env.int("MEMORYHUB_SUMMARIZER_PROMPT_TOKENS", 100_000)

INSTALLED_APPS = [
    "memoryhub",
    "sessions_app",
    "context_app",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "axes",
    "django_htmx",
    "ninja",  # for the assets of /api/v1/docs
]

# Requests to the API leave by the first: the rest is for pages.
MIDDLEWARE = [
    "memoryhub.middleware.ApiDoor",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "memoryhub.middleware.PageFailures",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "memoryhub.urls"
WSGI_APPLICATION = "memoryhub.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "memoryhub.dash.context.dashboard",
            ],
            # Known to every template, without a load.
            "builtins": [
                "django.templatetags.static",
                "sessions_app.dash.tags",
                "context_app.dash.policy",
                "context_app.dash.tags",
            ],
        },
    },
]

# Seconds that a write waits for its turn before it answers 503.
BUSY_TIMEOUT = env.float("MEMORYHUB_BUSY_TIMEOUT", 5.0)
# FULL: an acknowledged write survives a power cut. NORMAL: it survives a crash.
SQLITE_SYNCHRONOUS = env.str("MEMORYHUB_SQLITE_SYNCHRONOUS", "FULL")
ALLOW_UNSAFE_SQLITE = env.bool("MEMORYHUB_ALLOW_UNSAFE_SQLITE", False)

SQLITE = {
    "ENGINE": "memoryhub.sqlite",
    "NAME": DATA_DIR / "memoryhub.sqlite3",
    "OPTIONS": {
        "timeout": BUSY_TIMEOUT,
        "transaction_mode": "IMMEDIATE",
        # Once so many are kept prepared, the driver keeps no new one for longer than
        # until the next: it must have room for all that come again.
        "cached_statements": 1000,
        "init_command": (
            "PRAGMA journal_mode = WAL;"
            f"PRAGMA synchronous = {SQLITE_SYNCHRONOUS};"
            "PRAGMA cache_size = -32768;"
            "PRAGMA journal_size_limit = 67108864"
        ),
    },
    # A file, as in production: a database in memory knows neither WAL nor locks.
    "TEST": {"NAME": DATA_DIR / "test.sqlite3"},
}
ELSEWHERE = env.str("DATABASE_URL", "")
DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url_config(ELSEWHERE) if ELSEWHERE else SQLITE
}
if ELSEWHERE:
    waiting = f"-c lock_timeout={int(BUSY_TIMEOUT * 1000)}"
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("options", waiting)
# Opening a connection for each request would cost more than the request.
DATABASES["default"]["CONN_MAX_AGE"] = None
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "login"
CSRF_FAILURE_VIEW = "memoryhub.dash.errors.no_token"
AXES_FAILURE_LIMIT = env.int("MEMORYHUB_LOGIN_ATTEMPTS", 10)
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
AXES_LOCKOUT_CALLABLE = "memoryhub.dash.login.locked_out"

# Set this behind a proxy that speaks TLS and sends X-Forwarded-Proto.
BEHIND_TLS = env.bool("MEMORYHUB_BEHIND_TLS", False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SESSION_COOKIE_SECURE = BEHIND_TLS
CSRF_COOKIE_SECURE = BEHIND_TLS
SESSION_COOKIE_SAMESITE = "Lax"
# Hubs under several paths of one host do not log each other out.
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = FORCE_SCRIPT_NAME or "/"
X_FRAME_OPTIONS = "DENY"
# Of pages: nothing inline, nothing from elsewhere.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
FORMAT_MODULE_PATH = "memoryhub.formats"

# Whole, since the server makes it before it knows of the prefix.
STATIC_URL = f"{(FORCE_SCRIPT_NAME or '').rstrip('/')}/static/"
STATIC_ROOT = DATA_DIR / "static" / __version__
STATICFILES_DIRS = [BASE_DIR / "static"]
# `serve` collects the files first; without it (tests, runserver) the finders serve them.
COLLECTED = (STATIC_ROOT / "staticfiles.json").exists()
WHITENOISE_USE_FINDERS = not COLLECTED
# The documents of skill blocks that read a storage: a folder, or a bucket of S3, or of
# what speaks like it (then with the extra [s3], and AWS_* variables for the keys).
SKILLS_DIR = env.str("MEMORYHUB_SKILLS_DIR", "") or DATA_DIR / "skills"
SKILLS_BUCKET = env.str("MEMORYHUB_SKILLS_BUCKET", "")
SKILLS_ENDPOINT = env.str("MEMORYHUB_SKILLS_ENDPOINT", "")
SKILLS: dict[str, Any] = {
    "BACKEND": "django.core.files.storage.FileSystemStorage",
    "OPTIONS": {"location": SKILLS_DIR, "allow_overwrite": True},
}
if SKILLS_BUCKET:
    SKILLS = {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": SKILLS_BUCKET,
            "endpoint_url": SKILLS_ENDPOINT or None,
            "file_overwrite": True,
        },
    }
STORAGES = {
    "skills": SKILLS,
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if COLLECTED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

LOG_LEVEL = env.str("MEMORYHUB_LOG_LEVEL", "INFO")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        # A refusal is an answer like any other; a failure is logged as an error.
        "django.request": {"level": "ERROR"},
        "memoryhub": {"level": LOG_LEVEL},
        "sessions_app": {"level": LOG_LEVEL},
        "context_app": {"level": LOG_LEVEL},
    },
}
