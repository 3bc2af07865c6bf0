"""Every environment variable; docs/reference/settings.md is generated from this list.

A new variable needs an entry here; a test fails without it. `default` is the value of an unset variable, as in the code
or in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from config.env.variables import SECRET_NAMES

SITE: Final = "Site"
DATABASE: Final = "Database and queue"
SECURITY: Final = "Security"
MAIL: Final = "Mail"
LIMITS: Final = "Limits of the web"
GAMES: Final = "Games and bots"
LOGS: Final = "Logs and metrics"
CONTAINERS: Final = "Compose, `bin/part` and processes"
DEVELOPMENT: Final = "Development and tests"


@dataclass(frozen=True)
class Variable:
    """An environment variable, described for operators."""

    name: str
    group: str
    meaning: str
    default: str = ""

    @property
    def is_secret(self) -> bool:
        return self.name in SECRET_NAMES


VARIABLES: Final = (
    Variable(
        "SCOREBOOK_BASE_URL",
        SITE,
        "address of the site, such as `https://club.example`. Links in emails and calendars begin with it. With "
        "`https`, cookies are secure and `http` is redirected",
        "http://localhost:8000",
    ),
    Variable(
        "SCOREBOOK_ALLOWED_HOSTS",
        SITE,
        "host names that are served, separated by commas",
        "localhost,127.0.0.1,[::1]",
    ),
    Variable("SCOREBOOK_CSRF_TRUSTED_ORIGINS", SITE, "origins whose forms are trusted, such as `https://club.example`"),
    Variable(
        "SCOREBOOK_STATIC_ROOT",
        SITE,
        "folder in which `collectstatic` puts static files, and from which they are served",
        "staticfiles",
    ),
    Variable(
        "SCOREBOOK_DATASET_FOLDER",
        SITE,
        "folder in which a worker writes the dataset, and from which web processes serve it; they share it",
        "`.local/dataset`",
    ),
    Variable(
        "SCOREBOOK_DEBUG",
        SITE,
        "`1`: Django's pages with tracebacks, static files without a build. Never in public",
        "0",
    ),
    Variable("DJANGO_SETTINGS_MODULE", SITE, "Django's settings; always the default", "config.settings"),
    Variable(
        "DATABASE_URL",
        DATABASE,
        "address of the owner: `postgresql://user:password@host:port/name`, or with `?host=/socket/folder`",
        "`bin/dev`: a cluster of this folder's own",
    ),
    Variable("DATABASE_APP_URL", DATABASE, "address of the app role", "the owner's address"),
    Variable(
        "SCOREBOOK_AS_OWNER",
        DATABASE,
        "`1`: this process uses `DATABASE_URL` although both are set. `bin/dev manage` and `bin/dev test` set it",
        "0",
    ),
    Variable(
        "SCOREBOOK_DB_POOL_SIZE",
        DATABASE,
        "most connections of one web process. With those of all other processes they must be fewer than PostgreSQL's "
        "`max_connections`",
        "10",
    ),
    Variable(
        "CELERY_BROKER_URL", DATABASE, "another broker, such as `redis://host:6379/0`", "the queue is in PostgreSQL"
    ),
    Variable(
        "SECRET_KEY",
        SECURITY,
        "signs sessions and webhooks; keep it",
        "`bin/dev` makes one; a server refuses to start",
    ),
    Variable(
        "SCOREBOOK_ADMIN_MFA_REQUIRED",
        SECURITY,
        "`1`: the admin, and what the API has for admins, open only to staff who use two-factor authentication",
        "1 with an `https` address, else 0",
    ),
    Variable(
        "SCOREBOOK_HSTS_SUBDOMAINS",
        SECURITY,
        "`1`: the whole domain is served by `https`, and browsers may remember that for every subdomain",
        "0",
    ),
    Variable(
        "SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS",
        SECURITY,
        "`1`: webhooks and notices may go to private addresses, and by `http`, if all users may reach your network",
        "0",
    ),
    Variable("EMAIL_HOST", MAIL, "the mail server", "mail is written to the log"),
    Variable("EMAIL_PORT", MAIL, "its port", "25"),
    Variable("EMAIL_HOST_USER", MAIL, "the user name there"),
    Variable("EMAIL_HOST_PASSWORD", MAIL, "the password there"),
    Variable("EMAIL_USE_TLS", MAIL, "`1`: use STARTTLS", "0"),
    Variable("EMAIL_FROM", MAIL, "sender, such as `Club <club@example.org>`", "Scorebook <scorebook@localhost>"),
    Variable("EMAIL_BACKEND", MAIL, "another of Django's email backends", "SMTP with `EMAIL_HOST`, else the log"),
    Variable(
        "SCOREBOOK_EMAIL_REQUIRED",
        MAIL,
        "`1`: people sign up with an email address, and confirm it before they log in",
        "0",
    ),
    Variable(
        "SCOREBOOK_MAX_WAITING_REQUESTS",
        LIMITS,
        "requests that may wait in one web process, 4 s at most, while `SCOREBOOK_DB_POOL_SIZE` others are answered. "
        "One more is answered 503 `busy`",
        "50",
    ),
    Variable(
        "SCOREBOOK_MAX_STREAMS_PER_IP",
        LIMITS,
        "live streams of one web process for all visitors without an account at one IP address; 0 for any number. "
        "Raise it where many watch behind one address, and `ulimit -n` with it",
        "400",
    ),
    Variable(
        "SCOREBOOK_MAX_STREAMS_PER_ACCOUNT", LIMITS, "the same for one account, its tokens and bots included", "200"
    ),
    Variable(
        "SCOREBOOK_RATE_LIMIT_FACTOR",
        LIMITS,
        "how much wider than usual the [limits of the API](api.md#limits) are; 0 for none",
        "1",
    ),
    Variable(
        "SCOREBOOK_DRAIN_SECONDS",
        LIMITS,
        "seconds for which a web process that is ending still takes requests, 0 to 600",
        "0",
    ),
    Variable("SCOREBOOK_LEASE_SECONDS", GAMES, "seconds for which a silent worker keeps its games", "15"),
    Variable(
        "SCOREBOOK_KINDS",
        GAMES,
        "kinds of game that are offered, separated by commas, the usual one first; `+hearts` adds one to the usual "
        "kinds. Each comes from a package that is installed ([Kinds of game](kinds.md))",
        "all of `scorebook-games`",
    ),
    Variable(
        "SCOREBOOK_ENGINE_BUILD",
        GAMES,
        "`compiled`: this process runs what `bin/dev compile` built, or does not start; `auto`: if there is such a "
        "build of the present sources, else `plain`. `bin/dev up` and `bin/part` set `auto`, the image `compiled`",
        "plain",
    ),
    Variable(
        "SCOREBOOK_BOT_UID",
        GAMES,
        "user id under which a worker that is root runs bots: 1 to 4294967294, of no account and no group",
        "65123",
    ),
    Variable(
        "SCOREBOOK_BOTS_SHARE_UID",
        GAMES,
        "`1`: a worker that is not root may run bots under its own user id. `bin/dev` sets it",
        "0",
    ),
    Variable(
        "SCOREBOOK_TOKEN",
        GAMES,
        "token of a bot author, for `scorebook-bot upload` and `remote`; no server reads it",
        "`--token`",
    ),
    Variable("SCOREBOOK_LOG_FORMAT", LOGS, "`lines` for people, or `json` ([Logs](logs.md))", "lines"),
    Variable(
        "SCOREBOOK_METRICS_TOKEN", LOGS, "token that opens `/metrics` ([Metrics](metrics.md))", "`/metrics` answers 404"
    ),
    Variable("PROXIES", CONTAINERS, "addresses whose `X-Forwarded-For` is believed", "127.0.0.1"),
    Variable("PLAY_PROCESSES", CONTAINERS, "processes of a worker `play`", "2"),
    Variable("SANDBOX_PROCESSES", CONTAINERS, "processes of a worker `sandbox`", "2"),
    Variable("SANDBOX_MEMORY", CONTAINERS, "memory of a worker `sandbox` with all bots, the kernel's included", "4g"),
    Variable("REVIEW_PROCESSES", CONTAINERS, "processes of a worker `review`", "1"),
    Variable("POSTGRES_VERSION", CONTAINERS, "version of the database's image; choose it before the first start", "15"),
    Variable("SCOREBOOK_TAG", CONTAINERS, "tag of the image that is built and started", "latest"),
    Variable("PORT", DEVELOPMENT, "port of `bin/dev up` and `bin/part web`", "8000"),
    Variable("HOST", DEVELOPMENT, "address on which they listen", "127.0.0.1"),
    Variable("SCOREBOOK_ORGANISER_PASSWORD", DEVELOPMENT, "password of the demo's organiser", "`bin/dev` makes one"),
    Variable("SCOREBOOK_ADMIN_PASSWORD", DEVELOPMENT, "password of the demo's admin", "`bin/dev` makes one"),
    Variable(
        "SCOREBOOK_VITE_PORT",
        DEVELOPMENT,
        "with `SCOREBOOK_DEBUG`: port of Vite's server, from which pages load the front end. `bin/dev up --reload` "
        "sets it",
        "a thousand above `PORT`",
    ),
    Variable(
        "PYTHON",
        DEVELOPMENT,
        "the Python that makes `.venv`",
        "the first that is new enough and was compiled with `--enable-optimizations`, else the first new enough",
    ),
    Variable(
        "SCOREBOOK_PG_BIN",
        DEVELOPMENT,
        "folder of PostgreSQL's programs, or `wheel`",
        "the machine's, else the wheel's",
    ),
    Variable("SCOREBOOK_NODE", DEVELOPMENT, "`wheel`: do not use the machine's Node", "the machine's if new enough"),
    Variable("CC", DEVELOPMENT, "C compiler of `bin/dev compile` and of tests", "the one that Python was built with"),
    Variable(
        "SCOREBOOK_CHROMIUM",
        DEVELOPMENT,
        "path of the browser for tests and `bin/dev pictures`",
        "one on the `PATH`; as root on Debian apt installs one",
    ),
    Variable(
        "CI",
        DEVELOPMENT,
        "`true`: a test that cannot run, for want of a browser, a compiler or a sandbox, is a failure",
        "such tests are left out, and named at the end",
    ),
    Variable(
        "SCOREBOOK_TEST_SEED", DEVELOPMENT, "seed from which tests draw cards", "0; with `--all` another each time"
    ),
    Variable(
        "PYTHONPYCACHEPREFIX",
        DEVELOPMENT,
        "folder for Python's bytecode, if `PYTHONDONTWRITEBYTECODE` forbids it beside the sources",
        "`bin/dev`: `.local/bytecode`",
    ),
    Variable(
        "PYTHONDONTWRITEBYTECODE",
        DEVELOPMENT,
        "Python's own; `bin/dev` puts bytecode elsewhere instead",
    ),
)
