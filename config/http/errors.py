"""The one form of API errors: ``{"error": {"status", "code", "sentence", …}}``.

`code` is for programs and does not change; `sentence` is for people and says what to do. Some errors have more: an
illegal move its `clause` and the `legal_moves`, a stale version the `version`, a refused form its `fields`, a refused
season the `field`, a server error the `request` id.

A database that does not answer, or has a full disk, is not the request's fault: 503 with a time to try again.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable
from math import ceil
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import (
    DisallowedHost,
    PermissionDenied,
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.template import loader
from django.utils.translation import gettext as _
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from games.accounts import tokens
from games.common import disk_full, log_context
from games.common.endless_rules import rules_limit
from games.common.errors import DATABASE_AWAY_ERRORS, DomainError, missing_kind_error, missing_package_error
from scorebook_games.contract import RulesError
from scorebook_games.registry import NotInstalled, UnknownKind
from tournaments.core.event import UnknownEventType

logger = logging.getLogger(__name__)
DJANGO_NOT_FOUND: Final = re.compile(r"No \w+ matches the given query\.")  # of `get_object_or_404`
SECRET_FIELD: Final = re.compile(r"(?i)passw|secret|^code$")  # fields that pages do not repeat


def error_body(status_code: int, code: str, sentence: str, **extra: Any) -> dict[str, Any]:
    """Return the JSON data of an error."""
    return {"error": {"status": status_code, "code": code, "sentence": sentence, **extra}}


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Convert any error of an endpoint to the one form, as DRF's exception handler; None for a server error."""
    described = error_data(error)
    if described is None:
        return None
    set_rollback()
    response = Response(described, described["error"]["status"], headers=error_headers(error, described["error"]))
    response._has_been_logged = isinstance(error, DATABASE_AWAY_ERRORS)  # type: ignore[attr-defined]  # Django's own mark
    return response


def error_headers(error: Exception, described: dict[str, Any]) -> dict[str, str]:
    """Return the error's headers: when to try again, or which token is needed (RFC 6750)."""
    headers: dict[str, str] = {}
    if wait := described.get("wait_s") or described.get("wait_ms", 0) / 1000:
        headers["Retry-After"] = str(ceil(wait))
    if challenge := tokens.www_authenticate_value(described):
        headers["WWW-Authenticate"] = challenge
    return headers


def error_data(error: Exception) -> dict[str, Any] | None:
    """Return `error` as JSON data; None if it is not an error about the request."""
    match error:
        case DomainError():
            field = {"field": error.field} if error.field else {}
            return error_body(error.status, error.code, error.sentence, **field, **error.extra)
        case OperationalError() | InterfaceError():
            return error_data(database_refusal(error))
        case NotInstalled() | UnknownEventType():
            return error_data(unreadable_error(error))
        case RulesError():
            return error_body(400, error.code, error.sentence)
        case Http404():
            return error_body(404, "not_found", _sentence_of(error) or _("There is nothing at this address."))
        case PermissionDenied():
            return error_body(403, "forbidden", str(error) or _("You do not have permission for this."))
        case exceptions.ValidationError():
            sentence = _("Some values cannot be used. Correct what “fields” names, and send the request again.")
            return error_body(400, "invalid", sentence, fields=error.detail)
        case exceptions.NotAuthenticated():
            return error_body(403, "not_signed_in", _("Log in first."))
        # the error of SessionAuthentication
        case exceptions.PermissionDenied() if str(error.detail).startswith("CSRF Failed:"):
            sentence = _(
                "This request has no access token, and the CSRF token of a browser's session "
                "is missing or too old. From a program, send the header “Authorization: "
                "Bearer sb_…”. In a browser, load the page again."
            )
            return error_body(403, "csrf_failed", sentence)
        case exceptions.MethodNotAllowed():
            sentence = _(
                "This address does not accept this method. The header Allow lists the methods that it accepts."
            )
            return error_body(405, "method_not_allowed", sentence)
        case exceptions.NotAcceptable():
            sentence = _(
                "This address has no answer in a format that the header Accept names. Ask for application/json."
            )
            return error_body(406, "not_acceptable", sentence)
        case exceptions.UnsupportedMediaType():
            sentence = _(
                "This address does not read a body of this Content-Type. Send JSON with "
                "“Content-Type: application/json”; only files are sent as "
                "multipart/form-data."
            )
            return error_body(415, error.default_code, sentence)
        case exceptions.ParseError():
            sentence = str(error.detail).replace("JSON parse error - ", "The body is not valid JSON: ")
            return error_body(400, "parse_error", sentence)
        case exceptions.APIException():
            codes = error.get_codes()
            code = codes if isinstance(codes, str) else "invalid"
            return error_body(error.status_code, code, str(error.detail))
    return None


def _sentence_of(error: Http404) -> str:
    """Return the sentence of a 404; "" for Django's own, which names a class in English."""
    return "" if DJANGO_NOT_FOUND.fullmatch(str(error)) else str(error)


def wants_json(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404, as Django's handler404: JSON under /api/, a page elsewhere."""
    if wants_json(request):
        sentence = _("There is nothing at this address. /api/v1/docs/ lists all addresses.")
        return JsonResponse(error_body(404, "not_found", sentence), status=404)
    return defaults.page_not_found(request, exception)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400, as Django's handler400, for a wrong host, and for forms that are broken, too long or have too many
    fields."""
    described = bad_request_error(exception)
    if wants_json(request):
        return JsonResponse(described, status=described["error"]["status"])
    site = settings.SCOREBOOK_BASE_URL if isinstance(exception, DisallowedHost) else ""
    # without the request, because a page with it would ask for its host
    page = loader.get_template("400.html").render({"sentence": described["error"]["sentence"], "site": site})
    return HttpResponse(page, status=400)


def bad_request_error(exception: Exception) -> dict[str, Any]:
    """Return the data of the error of a request that Django itself refuses."""
    if isinstance(exception, RequestDataTooBig):
        return error_body(413, "too_large", _("The form is too large. Send less at a time."))
    if isinstance(exception, DisallowedHost):
        sentence = _(
            "Scorebook does not answer to this host name. Use the site’s own address. If you run this site and the "
            "name is right, add it to SCOREBOOK_ALLOWED_HOSTS."
        )
        return error_body(400, "bad_host", sentence)
    sentence = _("The request is broken, and nothing was changed. Go back, load the page again, and try once more.")
    return error_body(400, "bad_request", sentence)


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """Answer 429 for allauth, whose limits of this kind all last a minute."""
    page = loader.get_template("429.html").render(request=request)
    return HttpResponse(page, status=429, headers={"Retry-After": "60"})


class MethodNotAllowedMiddleware:
    """Middleware that answers 405 with a page, where Django would send an empty one: for an address that only a form
    sends to, opened as a link."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == 405 and not response.content and not wants_json(request):
            response.content = loader.get_template("405.html").render(request=request)
        return response


class NulByteMiddleware:
    """Middleware that answers 404 to an address with a NUL character, which no text of the database can contain, and
    refuses an API parameter with one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path_info:
            return not_found(request, Http404())
        if any("\0" in value for _name, values in request.GET.lists() for value in values):
            if not wants_json(request):
                return not_found(request, Http404())
            sentence = _("A parameter contains a NUL character, which is not allowed.")
            return JsonResponse(error_body(400, "bad_parameter", sentence), status=400)
        return self.get_response(request)


class RefusedPageMiddleware:
    """Middleware that turns a service's refusal into an answer, if a page's view lets it pass: what an address names
    wrongly is not found, and who may not do it is told so. (The API answers by `exception_handler`.)"""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer by the refusal's status. Another one is a fault of the view, which should have shown it."""
        match error:
            case DomainError(status=400 | 404):
                raise Http404(error.sentence) from error
            case DomainError(status=403):
                raise PermissionDenied(error.sentence) from error
            case DomainError(status=503):
                return unavailable(request, error)
        return None


class EndlessRulesMiddleware:
    """Middleware that answers 503 if the rules of a kind do not come to an end, and leaves that kind alone."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            with rules_limit():
                return self.get_response(request)
        except DomainError as hangs:  # errors of views are answers already
            return unavailable(request, hangs)


def unreadable_error(error: NotInstalled | UnknownEventType) -> DomainError:
    """Return the refusal for a log that cannot be read now: a package is missing, or a newer version has written it."""
    if isinstance(error, UnknownKind):
        return missing_kind_error(str(error))
    if isinstance(error, NotInstalled):
        return missing_package_error(str(error))
    return DomainError(503, "unknown_event", _("{error} Upgrade Scorebook.").format(error=error))


def database_refusal(error: BaseException) -> DomainError:
    """Return the refusal for `error`, one of `DATABASE_AWAY_ERRORS`, and log it in one line."""
    refused = disk_full.unavailable_error(error)
    logger.warning("Answered %s: %s", refused.code, str(error).partition("\n")[0])
    return refused


def unavailable(request: HttpRequest, refused: DomainError) -> HttpResponse:
    """Answer 503 to a request that cannot be served now. After a form, the page offers to send it again. Nothing else
    is logged."""
    request_id = log_context.current().get("request", "")
    described = error_body(refused.status, refused.code, refused.sentence, request=request_id, **refused.extra)
    headers = error_headers(refused, described["error"])
    response: HttpResponse
    if wants_json(request):
        response = JsonResponse(described, status=refused.status, headers=headers)
    else:
        context = {
            "sentence": refused.sentence,
            "code": refused.code,
            "request_id": request_id,
            **resend_context(request),
        }
        response = HttpResponse(loader.get_template("503.html").render(context), status=refused.status, headers=headers)
    response._has_been_logged = True  # type: ignore[attr-defined]  # Django's own mark, else it adds a traceback
    return response


def resend_context(request: HttpRequest) -> dict[str, Any]:
    """Return what a page needs to send the same request again: the address and a form's fields.

    Secrets and files are not written into the page; the reader enters them again. The form's CSRF token stays the one
    that was sent, so a forged request is still refused.
    """
    address = request.get_full_path()
    if request.method != "POST":
        return {"address": address if request.method == "GET" else ""}
    try:
        sent, files = request.POST, request.FILES
    except (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent, MultiPartParserError, UnreadablePostError):
        return {}
    fields = [(name, value) for name, values in sent.lists() for value in values]
    return {
        "address": address,
        "fields": [(name, value) for name, value in fields if not SECRET_FIELD.search(name)],
        "secrets": [name for name, _value in fields if SECRET_FIELD.search(name)],
        "files": list(files),
        "form": bool(fields or files),
    }


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500, as Django's handler500, with the request's id for finding it in the logs; 503 if the database did not
    answer, if a package is missing, or if a season has an event of a newer version."""
    error = sys.exc_info()[1]  # Django calls this while it handles the exception
    if isinstance(error, DATABASE_AWAY_ERRORS):
        return unavailable(request, database_refusal(error))
    if isinstance(error, NotInstalled | UnknownEventType):  # a log outlives packages, and this version
        return unavailable(request, unreadable_error(error))
    request_id = log_context.current().get("request", "")
    if wants_json(request):
        sentence = _(
            "Something went wrong on our side. Nothing was saved. Try again in a moment. If "
            "it happens again, tell an admin the request id."
        )
        return JsonResponse(error_body(500, "internal", sentence, request=request_id), status=500)
    # without the request, because more may be broken
    page = loader.get_template("500.html").render({"request_id": request_id})
    return HttpResponse(page, status=500)
