"""Django's settings. What differs between machines comes from the environment; docs/reference/settings.md lists it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.conf import global_settings
from django.core.exceptions import ImproperlyConfigured
from django.templatetags.static import static
from django.utils.translation import to_locale

from config.env.database_url import parse_database_url
from config.env.variables import read_secret, read_switch, refuse_old_names

refuse_old_names()
BASE_DIR = Path(__file__).resolve().parent.parent

DEBUG = read_switch("SCOREBOOK_DEBUG")
SECRET_KEY = read_secret("SECRET_KEY")
if not SECRET_KEY:
    if not DEBUG:
        raise ImproperlyConfigured("SECRET_KEY is not set. bin/dev sets one; a server needs its own secret.")
    SECRET_KEY = "only-for-development"  # noqa: S105  not a secret: DEBUG only
ALLOWED_HOSTS = os.environ.get("SCOREBOOK_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]").split(",")
CSRF_TRUSTED_ORIGINS = [origin for origin in os.environ.get("SCOREBOOK_CSRF_TRUSTED_ORIGINS", "").split(",") if origin]

# Web, worker and beat are given the application's role, which cannot change a log; migrations and tests the owner's.
AS_OWNER = read_switch("SCOREBOOK_AS_OWNER")
DATABASE_URL = (not AS_OWNER and read_secret("DATABASE_APP_URL")) or read_secret("DATABASE_URL")
if not DATABASE_URL:
    raise ImproperlyConfigured(
        "DATABASE_URL is not set. Run commands as `bin/dev manage …`, which provides a database."
    )
# Connections that a web process lends to requests (config.asgi); workers and commands keep the one they have.
SCOREBOOK_DB_POOL_SIZE = int(os.environ.get("SCOREBOOK_DB_POOL_SIZE", "10"))
# How many requests a web process lets wait while it works on as many as it has connections (config.http.capacity).
SCOREBOOK_MAX_WAITING_REQUESTS = int(os.environ.get("SCOREBOOK_MAX_WAITING_REQUESTS", "50"))
DATABASES = {"default": parse_database_url(DATABASE_URL)}

# How often somebody has tried to log in counts for all web processes together.
CACHES = {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "cache"}}

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
    # Ours, from the highest to the lowest of each: in this order they answer signals.
    "games.operations",
    "games.moderation",
    "games.admin_actions",
    "games.bots",
    "games.lobby",
    "games.accounts",
    "games.workers",
    "games.play",
    "games.visibility",
    "games.clocks",
    "games.eventlog",
    "games.common",
    "games",
    "replays",
    "tournaments",
    "tournaments.bot_pages",
    "tournaments.importexport",
    "tournaments.maintenance",
    "tournaments.match_pages",
    "tournaments.organiser",
    "tournaments.rulings",
    "tournaments.season_pages",
    "tournaments.webhooks",
    "tournaments.club_pages",
    "tournaments.entries",
    "tournaments.matches",
    "tournaments.ratings",
    "tournaments.standings",
    "tournaments.activity",
    "tournaments.calendar",
    "tournaments.clubs",
    "tournaments.seasons",
    "config",
]

MIDDLEWARE = [
    "config.logs.RequestLogMiddleware",
    "config.http.request_metrics.RequestMetricsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.http.csp.ContentSecurityPolicy",
    "config.http.static_files.StaticFilesMiddleware",
    "config.http.public_reads.PublicReadsMiddleware",
    "config.http.cache_control.CacheControlMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "games.moderation.impersonation.ImpersonationMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "games.accounts.tries.LoginAttemptMiddleware",
    "config.http.time_zone.TimeZoneMiddleware",
    "config.http.errors.NulByteMiddleware",  # behind those whose help its page needs
    "config.http.query_params.UnknownParameterMiddleware",
    "config.http.body_fields.UnknownFieldMiddleware",
    "config.http.idempotency_header.IdempotencyMiddleware",  # the last one: it does the request itself
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
        "DIRS": [BASE_DIR / "config" / "templates"],  # before those of the packages, so that the platform look wins
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "games.accounts.context.account_context",
                "tournaments.organiser.counts.inbox_context",
            ],
        },
    }
]

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = True
LOCALE_PATHS = [BASE_DIR / "locale"]
# English, and whatever has been translated: docs/how-to/translate.md says how.
LANGUAGES = [
    (code, name)
    for code, name in global_settings.LANGUAGES
    if code == "en" or (LOCALE_PATHS[0] / to_locale(code) / "LC_MESSAGES" / "django.mo").exists()
]

STATIC_URL = "static/"
STATIC_ROOT = Path(os.environ.get("SCOREBOOK_STATIC_ROOT") or BASE_DIR / "staticfiles")
STATICFILES_DIRS = [
    BASE_DIR / "frontend" / "static",
    ("rules", BASE_DIR / "docs" / "rules" / "pictures"),
    *([BASE_DIR / "frontend" / "dist"] if (BASE_DIR / "frontend" / "dist").exists() else []),
]
# As `collectstatic` makes them: hashed names, compressed copies. With DEBUG files as they lie.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "config.http.static_files.CompressedStaticStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG
# With DEBUG the front end may come from Vite's own server, which replaces a component in the open page when it changes.
VITE_PORT = int(os.environ.get("SCOREBOOK_VITE_PORT") or 0) if DEBUG else 0
DJANGO_VITE: dict[str, dict[str, Any]] = {
    "default": {
        "manifest_path": BASE_DIR / "frontend" / "dist" / "manifest.json",
        "dev_mode": bool(VITE_PORT),
        "dev_server_port": VITE_PORT,
    }
}

# Every list of the admin, in groups; what is added stands here too (tests/config/admin_site/test_admin.py).
ADMIN_GROUPS = {
    "Now": ["dashboard", "report", "adminaction", "incident", "fault", "adminjob", "worker"],
    "Play": ["game", "opentable", "rematchwish", "presence", "trial", "bot", "botversion"],
    "Leagues": [
        "club",
        "league",
        "season",
        "round",
        "match",
        "entrant",
        "standing",
        "dispute",
        "organiseraction",
        "note",
    ],
    "Clubs": ["membership", "joinrequest", "invitation", "clubpost", "clubevent", "webhook", "delivery"],
    "Ratings": ["ratingpool", "rating", "strength"],
    "Dates": ["proposal", "calendarentry", "calendarstate", "calendaraddress", "vacation"],
    "People": [
        *("user", "player", "profile", "emailaddress", "authenticator", "accesstoken", "group"),
        *("notice", "sanction", "reservedname", "impersonationsession"),
    ],
    "Platform": ["sitestate", "dailycount", "platformoutage", "heartbeat"],
}
ADMIN_ICONS = {"Now": "monitoring", "Play": "playing_cards", "Leagues": "emoji_events", "People": "person"}
UNFOLD = {
    "SITE_TITLE": "Scorebook",
    "SITE_HEADER": "Scorebook",
    "SHOW_VIEW_ON_SITE": False,
    # Unfold would write its colours into each page, where the policy allows no style (config.http.csp). They are in a
    # file; a mere {} would be filled up with unfold's own.
    "COLORS": lambda _request: {},
    "STYLES": [lambda _request: static("css/admin.css")],
    "SCRIPTS": [lambda _request: static("js/admin.js")],
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda _request: static("img/favicon.svg")},
    ],
    "SIDEBAR": {
        "show_search": True,
        "show_all_applications": False,
        "navigation": "config.admin_site.sidebar.navigation",
    },
}

# To the standard error, where whoever started the process keeps it: `bin/dev up` in .local/logs. config.logs writes.
SCOREBOOK_LOG_FORMAT = os.environ.get("SCOREBOOK_LOG_FORMAT", "lines")
if SCOREBOOK_LOG_FORMAT not in ("lines", "json"):
    raise ImproperlyConfigured(f"SCOREBOOK_LOG_FORMAT must be lines or json, not {SCOREBOOK_LOG_FORMAT!r}.")
_nowhere = {"handlers": ["nowhere"], "propagate": False}  # `scorebook.access` has the line
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"lines": {"()": "config.logs.TextFormatter"}, "json": {"()": "config.logs.JsonFormatter"}},
    "filters": {"ids": {"()": "config.logs.ContextFilter"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": SCOREBOOK_LOG_FORMAT, "filters": ["ids"]},
        "nowhere": {"class": "logging.NullHandler"},
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.request": {"level": "ERROR"},  # that there is nothing at an address, the access line says
        "django.server": _nowhere,
        "scorebook": {"level": "INFO"},
        "uvicorn": {"handlers": [], "level": "INFO", "propagate": True},
        "uvicorn.access": _nowhere,
        "celery": {"level": "INFO"},  # workers say that they are there; each task has its line in `scorebook.tasks`
        **{f"celery.{name}": {"level": "WARNING"} for name in ("app.trace", "beat", "worker.strategy")},
        "celery.worker.request": {"level": "WARNING"},  # beat's words that came too late to be worth it, by the dozen
    },
}

# Who may read figures at /metrics; unset, nobody.
SCOREBOOK_METRICS_TOKEN = read_secret("SCOREBOOK_METRICS_TOKEN")

# E-mail. With the backend that is usual here it is written to the log, so that a club without a mail server can be run.
EMAIL_BACKEND = os.environ.get("EMAIL_BACKEND") or (
    "django.core.mail.backends.smtp.EmailBackend"
    if os.environ.get("EMAIL_HOST")
    else "django.core.mail.backends.console.EmailBackend"
)
EMAIL_HOST = os.environ.get("EMAIL_HOST") or "localhost"
EMAIL_PORT = int(os.environ.get("EMAIL_PORT", "25"))
EMAIL_HOST_USER = os.environ.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = read_secret("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS = read_switch("EMAIL_USE_TLS")
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = SERVER_EMAIL = os.environ.get("EMAIL_FROM", "Scorebook <scorebook@localhost>")
# Where the platform is found from outside: what the links in e-mails and calendars begin with; `bin/dev up` names its
# own.
SCOREBOOK_BASE_URL = os.environ.get("SCOREBOOK_BASE_URL", "http://localhost:8000").rstrip("/")
HTTPS = SCOREBOOK_BASE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^health/", r"^metrics$"]  # asked from inside, past the proxy
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None  # the proxy sets it, or takes it away
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = read_switch("SCOREBOOK_HSTS_SUBDOMAINS")
# Only who owns the domain knows whether all of it is served by HTTPS; these two warn of nothing else.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

# Accounts. An e-mail address is optional, so that a club without mail is usable; 1 asks for one at sign-up and lets
# nobody in before it is confirmed.
SCOREBOOK_EMAIL_REQUIRED = read_switch("SCOREBOOK_EMAIL_REQUIRED")
LOGIN_REDIRECT_URL = "/"
SESSION_ENGINE = "games.accounts.sessions"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
ACCOUNT_ADAPTER = "games.accounts.adapter.Adapter"
ACCOUNT_FORMS = {
    "login": "games.accounts.forms.LoginForm",
    "signup": "games.accounts.forms.SignupForm",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = [
    "username*",  # what people are called; see games.accounts.adapter
    "email*" if SCOREBOOK_EMAIL_REQUIRED else "email",
    "password1*",
    "password2*",
]
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if SCOREBOOK_EMAIL_REQUIRED else "optional"
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # nobody gets mail because somebody else typed their address
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Scorebook: "
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_USER_DISPLAY = "games.accounts.people.display"
# Besides allauth's own, for log-in, sign-up, e-mail and passwords. `games.accounts.tries` says what is counted how.
ACCOUNT_RATE_LIMITS = {"guest": "20/h/ip", "login_failed": "5/5m/key", "login_failed_address": "10/m/ip"}
MFA_FORMS = {
    "authenticate": "games.accounts.codes.AuthenticateForm",
    "reauthenticate": "games.accounts.codes.ReauthenticateForm",
}
MFA_TOTP_ISSUER = "Scorebook"
# A platform that is found by https asks its admins for a second factor. One on http is being tried out.
SCOREBOOK_ADMIN_MFA_REQUIRED = read_switch("SCOREBOOK_ADMIN_MFA_REQUIRED", default=HTTPS)

REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "games.accounts.bearer.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PARSER_CLASSES": [
        "config.http.parsers.StrictJSONParser",
        "rest_framework.parsers.FormParser",
        "config.http.parsers.StrictMultiPartParser",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_THROTTLE_CLASSES": ["games.common.rate_limits.RateLimitThrottle"],
    "DEFAULT_FILTER_BACKENDS": ["games.common.filters.StrictFilterBackend"],
    "DEFAULT_PAGINATION_CLASS": "games.common.cursor_pagination.NewestFirstPagination",
    "DEFAULT_VERSIONING_CLASS": None,
    "EXCEPTION_HANDLER": "config.http.errors.exception_handler",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Scorebook",
    "DESCRIPTION": "Clubs, seasons, games and ratings. Every error has a status, a code and a sentence.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVERS": [{"url": SCOREBOOK_BASE_URL, "description": "This platform."}],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.docs.openapi.describe",
        "config.docs.examples.add_examples",
    ],
}

# The broker is PostgreSQL itself unless another is named: one server to run.
CELERY_BROKER_URL = read_secret("CELERY_BROKER_URL") or "pgmq://localhost"  # see conn_string below for where
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
if CELERY_BROKER_URL.startswith("redis"):
    CELERY_BROKER_TRANSPORT = "config.broker.redis_transport:RedisTransport"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_POOL = "config.broker.celery_pool:TaskPool"
CELERY_WORKER_PROC_ALIVE_TIMEOUT = 60  # seconds: one that holds uploaded bots first tries its sandbox
CELERY_TASK_DEFAULT_QUEUE = "short"
# Workers tell of themselves in the database; remote control would add queues that nobody reads.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False

# How long a worker may be silent before another one plays its games on, and how slowly built-in bots play on purpose.
SCOREBOOK_LEASE_SECONDS = int(os.environ.get("SCOREBOOK_LEASE_SECONDS", "15"))

# How much wider than usual the limits of the API are (games.common.rate_limits): 2 for twice as much, 0 for none at
# all.
SCOREBOOK_RATE_LIMIT_FACTOR = float(os.environ.get("SCOREBOOK_RATE_LIMIT_FACTOR", "1"))
# How many live streams one web process keeps open: for all without an account behind one address, and for each account
# (replays.stream.connections); 0 for any number.
SCOREBOOK_MAX_STREAMS_PER_IP = int(os.environ.get("SCOREBOOK_MAX_STREAMS_PER_IP", "400"))
SCOREBOOK_MAX_STREAMS_PER_ACCOUNT = int(os.environ.get("SCOREBOOK_MAX_STREAMS_PER_ACCOUNT", "200"))
# Whether webhooks may go to private addresses and without TLS: for tests, and where everybody may reach the network.
SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS = read_switch("SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS")
