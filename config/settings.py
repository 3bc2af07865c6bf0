"""Django's settings. What differs between machines comes from the environment; docs/operations.md lists it."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse_lazy

from config.address import database_from

BASE_DIR = Path(__file__).resolve().parent.parent

DEBUG = os.environ.get("SCOREBOOK_DEBUG") == "1"
SECRET_KEY = os.environ.get("SECRET_KEY", "")
if not SECRET_KEY:
    if not DEBUG:
        raise ImproperlyConfigured("SECRET_KEY is not set. bin/dev sets one of its own; a server needs its own secret.")
    SECRET_KEY = "only-for-development"  # noqa: S105  not a secret: DEBUG only
ALLOWED_HOSTS = os.environ.get("SCOREBOOK_HOSTS", "localhost,127.0.0.1,[::1]").split(",")
CSRF_TRUSTED_ORIGINS = [origin for origin in os.environ.get("SCOREBOOK_ORIGINS", "").split(",") if origin]

# Web, worker and beat are given the application's role, which cannot change a log; migrations and tests the owner's.
AS_OWNER = os.environ.get("SCOREBOOK_AS_OWNER") == "1"
DATABASE_URL = (not AS_OWNER and os.environ.get("DATABASE_APP_URL")) or os.environ.get("DATABASE_URL", "")
if not DATABASE_URL:
    raise ImproperlyConfigured("DATABASE_URL is not set. Run commands as `bin/dev manage …`, which brings a database.")
DATABASES = {"default": database_from(DATABASE_URL)}

INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "django_vite",
    "games",
    "replays",
    "tournaments",
    "config",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.static_files.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.zone.ZoneMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "config" / "templates"],  # before those of the packages, so that the house look wins
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = True

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [
    BASE_DIR / "frontend" / "static",
    ("rules", BASE_DIR / "docs" / "rules" / "pictures"),
    *([BASE_DIR / "frontend" / "dist"] if (BASE_DIR / "frontend" / "dist").exists() else []),
]
# Hashed names and compressed copies, as `collectstatic` makes them; in development and tests files as they lie.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG
DJANGO_VITE = {"default": {"manifest_path": BASE_DIR / "frontend" / "dist" / "manifest.json"}}

UNFOLD = {
    "SITE_TITLE": "Scorebook",
    "SITE_HEADER": "Scorebook",
    "SHOW_VIEW_ON_SITE": False,
    "COLORS": {  # shades of the house's green (frontend/static/css/tokens.css), light to dark
        "primary": {
            "50": "#f1f8f4",
            "100": "#e0efe7",
            "200": "#bfe0d0",
            "300": "#93cab2",
            "400": "#63c09c",
            "500": "#2f8a69",
            "600": "#1c6b50",
            "700": "#185c45",
            "800": "#134a38",
            "900": "#0f3b2d",
            "950": "#08231b",
        },
    },
    "SIDEBAR": {
        "show_search": True,
        "show_all_applications": True,
        "navigation": [
            {
                "title": "Now",
                "items": [
                    {"title": "Dashboard", "icon": "monitoring", "link": reverse_lazy("dashboard")},
                    {"title": "Games", "icon": "playing_cards", "link": reverse_lazy("admin:games_game_changelist")},
                    {"title": "Errors", "icon": "report", "link": reverse_lazy("admin:games_incident_changelist")},
                ],
            },
        ],
    },
}

# To the standard error, where whoever started the process keeps it: `bin/dev up` in .local/logs.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {"django": {"handlers": [], "level": "WARNING", "propagate": True}},
}

EMAIL_BACKEND = os.environ.get("EMAIL_BACKEND", "django.core.mail.backends.console.EmailBackend")
LOGIN_REDIRECT_URL = "/"
ACCOUNT_EMAIL_VERIFICATION = "none"

REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_PAGINATION_CLASS": "games.paging.Newest",
    "DEFAULT_VERSIONING_CLASS": None,
    "EXCEPTION_HANDLER": "config.errors.answer",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Scorebook",
    "DESCRIPTION": "Clubs, seasons, games and ratings. Every error has a status, a code and a sentence.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api/v1",
}

# The broker is PostgreSQL itself unless another is named (DESIGN: one server to run).
CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL") or "pgmq://localhost"  # see conn_string below for where
_database = DATABASES["default"]
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = (
    {
        # The transport drops a URL's ?host= and reads $DATABASE_URL over its own setting, so it gets libpq's own form.
        "conn_string": " ".join(
            f"{name}='{value}'"
            for name, value in [
                ("host", _database["HOST"]),
                ("port", _database["PORT"] or 5432),
                ("dbname", _database["NAME"]),
                ("user", _database["USER"]),
                ("password", _database["PASSWORD"]),
            ]
            if value
        ),
        "init_extension": False,
        "pool_timeout": 5,
        "visibility_timeout": 300,
        "wait_time_seconds": 0,
        "use_notify": True,
        "notify_throttle_interval_ms": 0,
    }
    if CELERY_BROKER_URL.startswith("pgmq")
    # Without these two, kombu gives a killed worker's messages back only after many minutes.
    else {"visibility_timeout": 300, "unacked_restore_interval": 5, "unacked_restore_throttle": 1}
)
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_DEFAULT_QUEUE = "short"
# Workers tell of themselves in the database; remote control would add queues that nobody reads.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False

# How long a worker may be silent before another one plays its games on, and how slowly house bots play on purpose.
SCOREBOOK_LEASE_SECONDS = int(os.environ.get("SCOREBOOK_LEASE_SECONDS", "15"))
