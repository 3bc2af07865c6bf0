"""Django's settings. What differs between machines is in the environment; docs/reference/settings.md lists it."""

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
from scorebook_games.kind import LIBRARY_LOCALE
from scorebook_games.registry import KINDS

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

# Web, worker and beat use the application's role, which cannot change a log; migrations and tests use the owner's.
AS_OWNER = read_switch("SCOREBOOK_AS_OWNER")
DATABASE_URL = (not AS_OWNER and read_secret("DATABASE_APP_URL")) or read_secret("DATABASE_URL")
if not DATABASE_URL:
    raise ImproperlyConfigured(
        "DATABASE_URL is not set. Run commands as `bin/dev manage …`, which provides a database."
    )
# The number of connections that a web process shares among requests (config.asgi); workers and commands keep one each.
SCOREBOOK_DB_POOL_SIZE = int(os.environ.get("SCOREBOOK_DB_POOL_SIZE", "10"))
# How many requests may wait for a connection of a web process (config.http.capacity).
SCOREBOOK_MAX_WAITING_REQUESTS = int(os.environ.get("SCOREBOOK_MAX_WAITING_REQUESTS", "50"))
DATABASES = {"default": parse_database_url(DATABASE_URL)}

# The cache is in the database, so that failed logins are counted for all web processes together.
# Rendered pages are in each process's memory (games.common.page_cache): 600 of them, of 300 kB at most when compressed.
CACHES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "cache"},
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "TIMEOUT": 24 * 60 * 60,
        "OPTIONS": {"MAX_ENTRIES": 600},
    },
}

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
    # Our apps: those of games, then those of leagues, each from the highest layer to the lowest. Signals reach them in
    # this order.
    "games.operations",
    "games.talk",
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
    "replays.practice",
    "replays.review",
    "replays",
    "tournaments",
    "tournaments.bot_pages",
    "tournaments.commentary",
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
    "config.http.former_names.FormerNamesMiddleware",  # its redirections have the headers of those above
    "config.http.outside_api.StaticFiles",
    "config.http.public_reads.PublicReadsMiddleware",
    "config.http.cache_control.CacheControlMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "config.http.outside_api.Csrf",
    "games.accounts.sessions.SessionUserMiddleware",
    "config.http.outside_api.Messages",
    "games.moderation.impersonation.ImpersonationMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.http.outside_api.Htmx",
    "allauth.account.middleware.AccountMiddleware",
    "config.http.outside_api.LoginAttempts",
    "config.http.language.AccountLanguageMiddleware",
    "config.http.time_zone.TimeZoneMiddleware",
    # after the middleware that their error pages need
    "config.http.errors.MethodNotAllowedMiddleware",
    "config.http.errors.NulByteMiddleware",
    "config.http.query_params.UnknownParameterMiddleware",
    "config.http.body_fields.UnknownFieldMiddleware",
    "config.http.errors.RefusedPageMiddleware",
    "config.http.errors.EndlessRulesMiddleware",
    "config.http.idempotency.IdempotencyMiddleware",  # the last one, because it carries out the request itself
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
        "DIRS": [BASE_DIR / "config" / "templates"],  # before the templates of packages, which it overrides
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
FORMAT_MODULE_PATH = ["config.formats"]  # dates and times of the admin, as on the pages
# Those of the platform, of the library, and of each kind of game, whose package brings its words itself.
LOCALE_PATHS = [BASE_DIR / "locale", LIBRARY_LOCALE, *(kind.locale for kind in KINDS.values() if kind.locale.is_dir())]
# English, and all languages with a translation (docs/how-to/translate.md).
LANGUAGES = [
    (code, name)
    for code, name in global_settings.LANGUAGES
    if code == "en" or (LOCALE_PATHS[0] / to_locale(code) / "LC_MESSAGES" / "django.mo").exists()
]

STATIC_URL = "static/"
STATIC_ROOT = Path(os.environ.get("SCOREBOOK_STATIC_ROOT") or BASE_DIR / "staticfiles")
# The folder into which a worker writes the dataset, and from which web processes read it.
SCOREBOOK_DATASET_FOLDER = os.environ.get("SCOREBOOK_DATASET_FOLDER") or str(BASE_DIR / ".local" / "dataset")
STATICFILES_DIRS = [
    BASE_DIR / "frontend" / "static",
    *(("rules", kind.pictures) for kind in KINDS.values() if kind.pictures.is_dir()),
    *((f"kinds/{name}", kind.ui) for name, kind in KINDS.items() if kind.has_board),
    *([BASE_DIR / "frontend" / "dist"] if (BASE_DIR / "frontend" / "dist").exists() else []),
]
# Hashed names and compressed copies, made by `collectstatic`. With DEBUG, the files are served as they are.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "config.http.static_files.CompressedStaticStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG
# With DEBUG, Vite's server may serve the front end. It replaces a changed component in the open page.
VITE_PORT = int(os.environ.get("SCOREBOOK_VITE_PORT") or 0) if DEBUG else 0
DJANGO_VITE: dict[str, dict[str, Any]] = {
    "default": {
        "manifest_path": BASE_DIR / "frontend" / "dist" / "manifest.json",
        "dev_mode": bool(VITE_PORT),
        "dev_server_port": VITE_PORT,
    }
}

# All lists of the admin, in groups; every new one belongs here (tests/config/admin_site/test_admin.py).
ADMIN_GROUPS = {
    "Now": ["dashboard", "report", "adminaction", "incident", "fault", "adminjob", "worker"],
    "Play": ["game", "opentable", "rematchwish", "presence", "trial", "bot", "botversion", "luckledger", "gamereview"],
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
    "Dates": ["proposal", "calendarentry", "calendarstate", "calendaraddress", "commentaryaddress", "vacation"],
    "People": [
        *("user", "player", "profile", "emailaddress", "authenticator", "accesstoken", "group"),
        *("notice", "pushdevice", "pushmessage", "sanction", "reservedname", "impersonationsession", "datasetconsent"),
    ],
    "Platform": ["sitestate", "dailycount", "platformoutage", "heartbeat"],
}
ADMIN_ICONS = {"Now": "monitoring", "Play": "playing_cards", "Leagues": "emoji_events", "People": "person"}
UNFOLD = {
    "SITE_TITLE": "Scorebook",
    "SITE_HEADER": "Scorebook",
    "SHOW_VIEW_ON_SITE": False,
    # Unfold would write its colours into each page, but the policy allows no inline styles (config.http.csp). They are
    # in a file. Unfold would replace a plain {} by its own colours.
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

# Logs go to the standard error stream. `bin/dev up` keeps it in .local/logs. The formats are in config.logs.
SCOREBOOK_LOG_FORMAT = os.environ.get("SCOREBOOK_LOG_FORMAT", "lines")
if SCOREBOOK_LOG_FORMAT not in ("lines", "json"):
    raise ImproperlyConfigured(f"SCOREBOOK_LOG_FORMAT must be lines or json, not {SCOREBOOK_LOG_FORMAT!r}.")
_nowhere = {"handlers": ["nowhere"], "propagate": False}  # `scorebook.access` logs each request
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
        "django.request": {"level": "ERROR"},  # the access log has requests for missing addresses
        "django.server": _nowhere,
        "scorebook": {"level": "INFO"},
        "uvicorn": {"handlers": [], "level": "INFO", "propagate": True},
        "uvicorn.access": _nowhere,
        "celery": {"level": "INFO"},  # workers log their start; `scorebook.tasks` has a line for each task
        **{f"celery.{name}": {"level": "WARNING"} for name in ("app.trace", "beat", "worker.strategy")},
        "celery.worker.request": {"level": "WARNING"},  # beat's expired messages, which are many
    },
}

# The token for reading /metrics; without it nobody can.
SCOREBOOK_METRICS_TOKEN = read_secret("SCOREBOOK_METRICS_TOKEN")

# Email. Without EMAIL_HOST it is written to the log, so that a club needs no mail server.
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
# The public address of the platform, with which links in emails and calendars begin; `bin/dev up` sets its own.
SCOREBOOK_BASE_URL = os.environ.get("SCOREBOOK_BASE_URL", "http://localhost:8000").rstrip("/")
HTTPS = SCOREBOOK_BASE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^health/", r"^metrics$"]  # these are requested from inside, not through the proxy
# the proxy must set or remove this header
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = read_switch("SCOREBOOK_HSTS_SUBDOMAINS")
# Only the domain's owner knows whether all of it is served by HTTPS. W005 and W021 warn of nothing else. W003 does not
# see that our middleware is a subclass of Django's CsrfViewMiddleware; tests/permissions/test_rules.py looks at that.
SILENCED_SYSTEM_CHECKS = ["security.W003", "security.W005", "security.W021"]

# Accounts. An email address is optional, so that a club without mail works. If SCOREBOOK_EMAIL_REQUIRED is 1, people
# must confirm an address before they can log in.
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
    "change_password": "games.accounts.forms.ChangePasswordForm",
    "reset_password_from_key": "games.accounts.forms.ResetPasswordKeyForm",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = [
    "username*",  # the name of the player; see games.accounts.adapter
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
# Besides allauth's own limits on login, sign-up, email and passwords. `games.accounts.login_attempts` explains them.
ACCOUNT_RATE_LIMITS = {"guest": "20/h/ip", "login_failed": "5/5m/key", "login_failed_address": "10/m/ip"}
MFA_FORMS = {
    "authenticate": "games.accounts.codes.AuthenticateForm",
    "reauthenticate": "games.accounts.codes.ReauthenticateForm",
}
MFA_TOTP_ISSUER = "Scorebook"
# A platform with HTTPS requires a second factor of its admins. A platform without it is only being tried out.
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
    "ENUM_NAME_OVERRIDES": {"SendStateEnum": "games.common.outbox.SendState"},  # `state` of some rows, `mail` of others
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.docs.openapi.describe",
        "config.docs.examples.add_examples",
    ],
}

# The default broker is PostgreSQL itself, so that only one server is needed.
CELERY_BROKER_URL = read_secret("CELERY_BROKER_URL") or "pgmq://localhost"  # its address is in conn_string below
_database = DATABASES["default"]
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = (
    {
        # The transport ignores ?host= in a URL and prefers $DATABASE_URL to its own setting, so it gets libpq's own
        # form.
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
    # Without these two, kombu redelivers a killed worker's messages only after many minutes.
    else {"visibility_timeout": 300, "unacked_restore_interval": 5, "unacked_restore_throttle": 1}
)
if CELERY_BROKER_URL.startswith("redis"):
    CELERY_BROKER_TRANSPORT = "config.broker.redis_transport:RedisTransport"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_POOL = "config.broker.celery_pool:TaskPool"
CELERY_WORKER_PROC_ALIVE_TIMEOUT = 60  # seconds; a worker for uploaded bots first tests its sandbox
CELERY_TASK_DEFAULT_QUEUE = "short"
# Workers report in the database; remote control would add queues that nobody reads.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False

# How long a worker may be silent before another one continues its games.
SCOREBOOK_LEASE_SECONDS = int(os.environ.get("SCOREBOOK_LEASE_SECONDS", "15"))

# The factor by which the API's limits are multiplied (games.common.rate_limits); 0 for no limits.
SCOREBOOK_RATE_LIMIT_FACTOR = float(os.environ.get("SCOREBOOK_RATE_LIMIT_FACTOR", "1"))
# How many live streams one web process keeps open: for one address without an account, and for one account
# (replays.stream.connections); 0 for no limit.
SCOREBOOK_MAX_STREAMS_PER_IP = int(os.environ.get("SCOREBOOK_MAX_STREAMS_PER_IP", "400"))
SCOREBOOK_MAX_STREAMS_PER_ACCOUNT = int(os.environ.get("SCOREBOOK_MAX_STREAMS_PER_ACCOUNT", "200"))
# Whether webhooks may use private addresses and no TLS: for tests, and where all users may reach the internal network.
SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS = read_switch("SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS")
