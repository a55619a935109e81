"""
All settings, in one file. Every environment variable is read here, and has its
row in docs/configuration.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import django_stubs_ext
from csp.constants import NONE, SELF

import memoryhub.sqlite  # noqa: F401 (puts the newer SQLite in place, before Django looks)
from memoryhub import __version__
from memoryhub import environment as env

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent

# Where everything is kept: the database, the secret key, locks.
DATA_DIR = env.folder("MEMORYHUB_DATA_DIR", BASE_DIR / "data")
SECRET_KEY = env.secret("MEMORYHUB_SECRET_KEY", kept=DATA_DIR / "secret_key")
DEBUG = env.flag("MEMORYHUB_DEBUG")
ALLOWED_HOSTS = env.names("MEMORYHUB_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env.names("MEMORYHUB_TRUSTED_ORIGINS")
FORCE_SCRIPT_NAME = env.path("MEMORYHUB_URL_PREFIX") or None

# Limits on one request to the API.
MAX_BODY_BYTES = env.whole("MEMORYHUB_MAX_BODY_BYTES", 8 * 1024 * 1024, least=1)
MAX_BATCH = env.whole("MEMORYHUB_MAX_BATCH", 1000, least=1)
RATE_LIMIT = env.whole("MEMORYHUB_RATE_LIMIT", 0)
# All files of one upload together, and a body of POST /import.
MAX_UPLOAD_BYTES = env.whole("MEMORYHUB_MAX_UPLOAD_BYTES", 512 * 1024 * 1024, least=1)
UPLOADS_DIR = DATA_DIR / "uploads"
FILE_UPLOAD_TEMP_DIR = DATA_DIR
# The newest daily backups that are kept; 0: none are made by themselves.
BACKUPS_DIR = DATA_DIR / "backups"
BACKUPS_KEPT = env.whole("MEMORYHUB_BACKUPS_KEPT", 7)
# The body is measured where it is read; Django's own limit would answer a bare 400.
DATA_UPLOAD_MAX_MEMORY_SIZE = None

# How long deleted sessions can be brought back from the pages; 0 keeps them for ever.
TRASH_DAYS = env.whole("MEMORYHUB_TRASH_DAYS", 30)

# Who makes the summaries of compactions: auto, extractive or openai.
SUMMARIZER = env.text("MEMORYHUB_SUMMARIZER", "auto")
SUMMARIZER_URL = env.text("MEMORYHUB_SUMMARIZER_URL")
SUMMARIZER_MODEL = env.text("MEMORYHUB_SUMMARIZER_MODEL")
SUMMARIZER_KEY = env.text("MEMORYHUB_SUMMARIZER_KEY")
SUMMARIZER_TIMEOUT = env.seconds("MEMORYHUB_SUMMARIZER_TIMEOUT", 60.0)
SUMMARIZER_PROMPT_TOKENS = env.whole(
    "MEMORYHUB_SUMMARIZER_PROMPT_TOKENS", 100_000, least=1
)

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
    "memoryhub.middleware.api.ApiDoor",
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
    "memoryhub.middleware.pages.PageFailures",
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
                "sessions_app.dash.rendering.tags",
                "context_app.dash.policy",
                "context_app.dash.tags",
            ],
        },
    },
]

# Seconds that a write waits for its turn before it answers 503.
BUSY_TIMEOUT = env.seconds("MEMORYHUB_BUSY_TIMEOUT", 5.0)
# FULL: an acknowledged write survives a power cut. NORMAL: it survives a crash.
SQLITE_SYNCHRONOUS = env.choice("MEMORYHUB_SQLITE_SYNCHRONOUS", "FULL", "NORMAL")
ALLOW_UNSAFE_SQLITE = env.flag("MEMORYHUB_ALLOW_UNSAFE_SQLITE")

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
ELSEWHERE = env.postgres("DATABASE_URL")
DATABASES: dict[str, dict[str, Any]] = {"default": ELSEWHERE or SQLITE}
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
AXES_FAILURE_LIMIT = env.whole("MEMORYHUB_LOGIN_ATTEMPTS", 10, least=1)
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
AXES_LOCKOUT_CALLABLE = "memoryhub.dash.login.locked_out"

# Set this behind a proxy that speaks TLS and sends X-Forwarded-Proto.
BEHIND_TLS = env.flag("MEMORYHUB_BEHIND_TLS")
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
SKILLS_DIR = env.text("MEMORYHUB_SKILLS_DIR") or DATA_DIR / "skills"
SKILLS_BUCKET = env.text("MEMORYHUB_SKILLS_BUCKET")
SKILLS_ENDPOINT = env.text("MEMORYHUB_SKILLS_ENDPOINT")
SKILLS: dict[str, Any] = {
    "BACKEND": "django.core.files.storage.FileSystemStorage",
    "OPTIONS": {"location": SKILLS_DIR, "allow_overwrite": True},
}
env.need("MEMORYHUB_SKILLS_BUCKET", "storages", extra="s3")
if SKILLS_BUCKET:
    SKILLS = {
        "BACKEND": "context_app.providers.bucket.open_bucket",
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

LOG_LEVEL = env.choice("MEMORYHUB_LOG_LEVEL", "INFO", "DEBUG", "WARNING", "ERROR")
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
