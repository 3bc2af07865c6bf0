"""Keeps rendered pages and lists of the API until something that they show changes (ADR 31).

A view states by a function what it shows: versions of streams, counts of changed tables, states of games. These values
are the key, together with the reader and all that a page takes from its request. Nothing is ever invalidated: what
changes has another key, and what is no longer asked for is dropped by the cache, which is bounded. The key is computed
again after rendering, and nothing is stored if something has changed meanwhile.

The key is the page's `ETag` too: a browser that has the page gets 304 before anything is rendered.

Pages are stored compressed. A browser that takes `gzip` gets a page without forms as it is stored; other pages are put
together for each request, because compression would betray a form's token to whoever can add text to its page (BREACH).

What is not stored: pages with messages, of admins in impersonation, and for access tokens; answers other than 200; what
starts a session. CSRF tokens are taken out before a page is stored. With DEBUG, nothing is stored.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import re
import zlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Any, Final, TypeVar

from django.conf import settings
from django.contrib.messages import get_messages
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.middleware.csrf import get_token
from django.middleware.gzip import re_accepts_gzip
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language

from scorebook_games.registry import KINDS

logger = logging.getLogger("scorebook.pages")

CACHE: Final = "pages"  # of the setting CACHES
MAX_STORED_BYTES: Final = 300_000  # of a compressed page, or of an answer of the API
PART: Final = "part"  # the parameter by which a part of a page is fetched alone
WHOLE_PAGE: Final = b"<!DOCTYPE html>"  # with which it begins
KEPT_HEADERS: Final = ("Content-Type", "HX-Trigger")
PLACEHOLDER: Final = "\0"  # for a token in a stored page; no page has this character
GZIP_FORMAT: Final = 31  # of zlib: a compressed page with the header that browsers expect
CSRF_FIELD: Final = re.compile(r'(?<=<input type="hidden" name="csrfmiddlewaretoken" value=")\w{64}(?=">)')
PROGRAM_FOLDERS: Final = ("config", "games", "replays", "tournaments", "locale")
PROGRAM_FILES: Final = (".py", ".html", ".mo")
STATIC_MANIFEST: Final = "staticfiles.json"  # Django's list of the names of static files
OWN_SETTINGS: Final = "SCOREBOOK_"  # with which the names of our settings begin

Version = Hashable | None
ReaderFacts = Callable[[HttpRequest], Hashable]
View = TypeVar("View", bound=Callable[..., Any])
_reader_facts: list[ReaderFacts] = []
_rights: list[ReaderFacts] = []


def register_reader_facts(facts: ReaderFacts) -> None:
    """Let `facts` return what the head of each page shows of its signed-in reader."""
    _reader_facts.append(facts)


def register_rights(rights: ReaderFacts) -> None:
    """Let `rights` return what a signed-in reader may do, as far as no version of a page says it."""
    _rights.append(rights)


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A compressed page, with `PLACEHOLDER` in its forms, and its headers."""

    body: bytes
    has_forms: bool
    headers: tuple[tuple[str, str], ...]


def cached_page(version: Callable[..., Version]) -> Callable[[View], View]:
    """Store the pages of a view until `version`, which gets the same arguments, returns another value. A page for which
    it returns None is not stored."""

    def decorate(view: View) -> View:
        @wraps(view)
        def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            def key_now() -> str | None:
                found = version(request, *args, **kwargs)
                return None if found is None else page_key(request, found)

            key = key_now() if is_cacheable(request) else None
            if key is None:
                response: HttpResponse = view(request, *args, **kwargs)
                return response
            if is_same(request, key):
                return with_validator(HttpResponseNotModified(), request, key)
            stored = load(key)
            if isinstance(stored, StoredPage):
                return with_validator(response_of(request, stored), request, key)
            response = view(request, *args, **kwargs)
            if is_storable(request, response) and key_now() == key:
                page = stored_page(response)
                store(key, page, len(page.body))
                with_validator(response, request, key)
            return response

        return answered  # type: ignore[return-value]

    return decorate


def cached_answer(version: Callable[..., Version]) -> Callable[[View], View]:
    """Store the answers of an action of the API, as `cached_page` does. They are stored as they are sent; who may ask,
    and how often, is checked before."""

    def decorate(action: View) -> View:
        @wraps(action)
        def answered(viewset: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
            def key_now() -> str | None:
                found = version(viewset, request, *args, **kwargs)
                return None if found is None else answer_key(request, found)

            key = key_now() if is_cacheable(request._request) else None
            if key is None:
                return action(viewset, request, *args, **kwargs)
            stored = load(key)
            if isinstance(stored, bytes):
                return HttpResponse(stored, content_type="application/json")
            response = action(viewset, request, *args, **kwargs)
            if response.status_code == 200:
                response.add_post_render_callback(lambda done: store_answer(key, done, key_now))
            return response

        return answered  # type: ignore[return-value]

    return decorate


def store_answer(key: str, response: Any, key_now: Callable[[], str | None]) -> None:
    """Store a rendered answer of the API, unless something has changed since its key was computed."""
    if response["Content-Type"].startswith("application/json") and key_now() == key:
        store(key, bytes(response.content), len(response.content))


def is_switched_on() -> bool:
    return not settings.DEBUG


def is_cacheable(request: HttpRequest) -> bool:
    """Return whether the answer to this request may be stored."""
    return (
        is_switched_on()
        and request.method in ("GET", "HEAD")
        and "Authorization" not in request.headers
        and getattr(request, "impersonation", None) is None
        and not len(get_messages(request))
    )


def is_storable(request: HttpRequest, response: HttpResponse) -> bool:
    """Return whether an answer may be stored under its key: not a whole page to whoever asks for a part that there is
    not, because the key of a part does not say what the head shows."""
    if response.status_code != 200 or response.streaming or response.cookies:
        return False
    return not (PART in request.GET and response.content[:100].lstrip().startswith(WHOLE_PAGE))


def page_key(request: HttpRequest, version: Hashable) -> str:
    """Return the key of a page for its reader. A part that is fetched alone has no head."""
    alone = request.user.pk is None or PART in request.GET
    facts = () if alone else tuple(facts(request) for facts in _reader_facts)
    return digest("page", *addressed(request), reader_key(request), facts, version)


def answer_key(request: Any, version: Hashable) -> str:
    """Return the key of an answer of the API, in the form that was asked for: JSON may be indented, or a page."""
    return digest("answer", *addressed(request._request), request.accepted_media_type, reader_key(request), version)


def reader_key(request: Any) -> tuple[Hashable, ...]:
    """Return who reads, with their rights."""
    reader = request.user.pk
    return () if reader is None else (reader, *(rights(request) for rights in _rights))


def addressed(request: HttpRequest) -> tuple[Hashable, ...]:
    """Return what an answer takes from its request: addresses, language, zone and day."""
    return (request.scheme, request.get_host(), request.get_full_path(), *shown_for())


def shown_for() -> tuple[Hashable, ...]:
    """Return what decides how texts and times are written. A time of today is written otherwise than one of
    yesterday."""
    return (get_language(), timezone.get_current_timezone_name(), timezone.localdate())


def digest(*values: Hashable) -> str:
    return hashlib.sha256(repr((program_version(), *values)).encode()).hexdigest()[:40]


@cache
def program_version() -> str:
    """Return a hash of all that pages are made of and that changes only with a start: code, templates, translations,
    our settings, and the names of the front end's files."""
    folders = [settings.BASE_DIR / name for name in PROGRAM_FOLDERS]
    folders += [Path(kind.locale).parent for kind in KINDS.values()]
    found = hashlib.sha256()
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.suffix in PROGRAM_FILES):
            found.update(str(path.relative_to(folder)).encode() + hashlib.sha256(path.read_bytes()).digest())
    for manifest in (settings.DJANGO_VITE["default"]["manifest_path"], Path(settings.STATIC_ROOT) / STATIC_MANIFEST):
        found.update(manifest.read_bytes() if manifest.exists() else b"-")
    chosen = {name: getattr(settings, name) for name in sorted(dir(settings)) if name.startswith(OWN_SETTINGS)}
    found.update(repr(chosen).encode())
    return found.hexdigest()


def csrf_secret(request: HttpRequest) -> str:
    """Return the secret of which the CSRF tokens of this browser's pages are made. It is "" if the browser has none,
    until a form is rendered."""
    return str(request.META.get("CSRF_COOKIE") or "")


def validator(request: HttpRequest, key: str) -> str:
    """Return the `ETag` of a page. A browser's forms are valid with its own secret only."""
    return f'W/"{digest("etag", key, csrf_secret(request))}"'


def is_same(request: HttpRequest, key: str) -> bool:
    """Return whether the browser has this page."""
    known = request.headers.get("If-None-Match", "")
    return bool(known) and validator(request, key) in {each.strip() for each in known.split(",")}


def with_validator(response: HttpResponse, request: HttpRequest, key: str) -> HttpResponse:
    """Return the response, which its browser may keep if it asks each time whether the page has changed."""
    response.headers["ETag"] = validator(request, key)
    response.headers.setdefault("Cache-Control", "private, no-cache")
    patch_vary_headers(response, ["Cookie", "Accept-Language"])
    return response


def stored_page(response: HttpResponse) -> StoredPage:
    """Return a page without its CSRF tokens."""
    text, forms = CSRF_FIELD.subn(PLACEHOLDER, response.content.decode())
    headers = tuple((name, response[name]) for name in KEPT_HEADERS if name in response)
    return StoredPage(gzip.compress(text.encode(), mtime=0), bool(forms), headers)


def response_of(request: HttpRequest, stored: StoredPage) -> HttpResponse:
    """Return a stored page with CSRF tokens of this reader."""
    if not stored.has_forms and re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")):
        response = HttpResponse(stored.body, headers={"Content-Encoding": "gzip"})
    else:
        body = zlib.decompress(stored.body, GZIP_FORMAT)
        token = get_token(request) if stored.has_forms else ""
        response = HttpResponse(body.replace(PLACEHOLDER.encode(), token.encode()) if token else body)
    if not stored.has_forms:
        patch_vary_headers(response, ["Accept-Encoding"])
    for name, value in stored.headers:
        response.headers[name] = value
    return response


def load(key: str) -> Any:
    """Return what is stored under `key`; None if there is nothing, or nothing can be read."""
    try:
        return caches[CACHE].get(key)
    except Exception:  # a cache that fails costs time only
        logger.exception("The cache of pages cannot be read.")
        return None


def store(key: str, value: object, size: int) -> None:
    """Store `value`, unless it is too large. Nothing happens if the cache fails."""
    if size > MAX_STORED_BYTES:
        return
    try:
        caches[CACHE].set(key, value)
    except Exception:  # as above
        logger.exception("The cache of pages cannot be written.")
