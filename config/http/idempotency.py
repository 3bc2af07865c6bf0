"""`Idempotency-Key`: a POST of the API that is repeated with the same key is done once and gets the same answer.

The key is a header, or a field `idempotency_key` of the body. It is one transaction: the key is taken first, so a
second request waits for the first one. If the process dies in between, nothing was done and nothing is stored. Errors
are not stored either, but what a refused request stored nevertheless stays, such as a clock that ran out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import RequestDataTooBig
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.response import SimpleTemplateResponse
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException
from rest_framework.views import APIView

from config.http.body_fields import KEY_FIELD, request_data
from config.http.errors import error_data, error_headers
from games.common import clock
from games.common.errors import DomainError
from games.common.models import SentRequest
from games.common.policy import API_ROOT, ViewFunction, stated
from games.visibility import acting

KEY_HEADER: Final = "Idempotency-Key"
REPLAYED_HEADER: Final = "Idempotency-Replayed"

_TAKE: Final = """
    INSERT INTO common_sentrequest (user_id, key, request, status, created) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (user_id, key) DO NOTHING
    RETURNING id
"""


class IdempotencyMiddleware:
    """The middleware. It is the last one, because the rest of the request runs in its transaction."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: ViewFunction, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> HttpResponse | None:
        """Handle a POST with a key; None for all others."""
        if request.method != "POST" or not request.path.startswith(API_ROOT):
            return None
        try:
            key, asked = key_and_fingerprint(request)  # reads the body first and keeps it for later readers
            if key is None:
                return None
            check_key(key)
            api, user = authenticated_view(request, view, args, kwargs)
            if user is None:
                return None
            secret = stated(view, "POST", "secret_answer", False)
            return answer_once(
                user, key, asked, lambda: cast(HttpResponse, api.dispatch(request, *args, **kwargs)), secret=secret
            )
        except RequestDataTooBig:
            return None
        except (DomainError, APIException) as error:
            described = error_data(error)
            assert described  # always the case for these two
            headers = error_headers(error, described["error"])
            return JsonResponse(described, status=described["error"]["status"], headers=headers)


def key_and_fingerprint(request: HttpRequest) -> tuple[str | None, str]:
    """Return the key, and a digest of the rest: the address and the body, of a form its parts without boundaries."""
    key = request.headers.get(KEY_HEADER)
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    content = request.body
    data = request_data(request) if key is not None or KEY_FIELD.encode() in content else None
    if data is None:
        digest.update(content)
    elif request.content_type == "application/json":
        if isinstance(data, dict):
            within = data.get(KEY_FIELD)
            key = str(within) if key is None and within is not None else key
            data = {name: value for name, value in data.items() if name != KEY_FIELD}
        digest.update(json.dumps(data, sort_keys=True).encode())
    else:
        key = request.POST.get(KEY_FIELD) if key is None else key
        parts = sorted((name, *values) for name, values in request.POST.lists() if name != KEY_FIELD)
        digest.update(json.dumps(parts).encode())
        for name, files in sorted(request.FILES.lists()):
            for file in files:
                digest.update(f"{name} {file.name} {file.size}\n".encode() + file.read())
                file.seek(0)
    return key, digest.hexdigest()


def check_key(key: str) -> None:
    """Raise `DomainError` bad_key if this cannot be an idempotency key."""
    if not (0 < len(key) <= 64 and key.isascii() and key.isprintable()):
        raise DomainError(400, "bad_key", _("An idempotency key must have 1 to 64 printable ASCII characters."))


def authenticated_view(
    request: HttpRequest, view: ViewFunction, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[APIView, AbstractBaseUser | None]:
    """Return the built view, which needs only its `dispatch`, and the user by its authentication.

    The request is counted here, so that its count is not held by a transaction. The user is None without an account
    where `view` needs one, which it says itself. Raises the errors of authentication, `DomainError` throttled, and
    key_needs_account (400) where `view` needs none.
    """
    api = view.cls(**view.initkwargs)  # type: ignore[attr-defined]  # REST framework's, as all below /api/ are
    api.action_map = getattr(view, "actions", None) or {}
    for method, name in api.action_map.items():  # as REST framework's `as_view` does
        setattr(api, method, getattr(api, name))
    api.setup(request, *args, **kwargs)
    asked = api.initialize_request(request)
    api.request, api.headers = asked, {}
    api.initialize_request = lambda *_request, **_kwargs: asked
    if not isinstance(asked.user, AbstractBaseUser) or asked.user.pk is None:
        try:
            api.check_permissions(asked)
        except APIException:
            return api, None
        raise DomainError(
            400,
            "key_needs_account",
            _("Idempotency keys need a user. Log in, or send the request without a key."),
        )
    api.check_throttles(asked)
    return api, asked.user


def answer_once(
    user: AbstractBaseUser, key: str, asked: str, act: Callable[[], HttpResponse], *, secret: bool
) -> HttpResponse:
    """Return the response of `act`, or the stored one. A `secret` response is not stored and cannot be repeated.

    Raises `DomainError` key_reused, shown_once (409).
    """
    with transaction.atomic():
        new_request = SentRequest(user_id=user.pk, key=stored_key(user, key), request=asked, created=clock.now())
        sent = take_key(new_request)
        if sent is not new_request:
            return stored_answer(sent, asked)
        response = act()
        if isinstance(response, SimpleTemplateResponse):
            response.render()
        if 200 <= response.status_code < 300:
            sent.status = response.status_code
            sent.answer = None if secret else json.loads(response.content or b"null")
            sent.save(update_fields=["status", "answer"])
        else:
            sent.delete()
    return response


def take_key(new_request: SentRequest) -> SentRequest:
    """Return `new_request`, stored now, or the request that was sent with this key before. Waits for one that is being
    carried out."""
    with connection.cursor() as cursor:
        columns = ("user_id", "key", "request", "status", "created")
        cursor.execute(_TAKE, [getattr(new_request, column) for column in columns])
        row = cursor.fetchone()
    if row is None:
        return SentRequest.objects.get(user_id=new_request.user_id, key=new_request.key)
    new_request.pk, new_request._state.adding = row[0], False
    return new_request


def stored_key(user: AbstractBaseUser, key: str) -> str:
    """Return the key as it is stored. A remote bot's keys are its own, though it uses its owner's account."""
    bot = acting.bot_of(user)
    if bot is None or bot.bot_version is None:
        return key
    return hashlib.sha256(f"{bot.bot_version.bot_id}/{key}".encode()).hexdigest()


def stored_answer(sent: SentRequest, asked: str) -> HttpResponse:
    """Return the response to the key's first request."""
    if sent.request != asked:
        raise DomainError(409, "key_reused", _("This idempotency key was used for another request. Use a new key."))
    if sent.answer is None and sent.status != 204:
        sentence = _(
            "The request was already carried out, and its secret was shown only in the first answer. Revoke it "
            "and create a new one."
        )
        raise DomainError(409, "shown_once", sentence)
    answer = (
        HttpResponse(status=204) if sent.status == 204 else JsonResponse(sent.answer, status=sent.status, safe=False)
    )
    answer.headers[REPLAYED_HEADER] = "true"
    return answer
