"""Idempotency keys in a request's body: a request that is sent twice, after a lost answer or a double click, counts
once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from games.common import clock
from games.common.errors import DomainError
from games.common.models import SentRequest
from games.play.services import check_key
from games.visibility import acting

KEY_RETENTION: Final = timedelta(days=2)


class KeySerializer(serializers.Serializer[Any]):
    """An idempotency key: a repeated request with the same key gets the first answer."""

    idempotency_key = serializers.CharField(max_length=64, required=False)


def run_once(request: Request, act: Callable[[], Response]) -> Response:
    """Return what `act` answers to `request`, or its former answer to the same request with the same key.

    Two requests at the same time wait for each other. An error is not stored: nothing was done, and a later try may
    succeed. Raises `DomainError` bad_key (400) and key_reused (409), and whatever `act` raises.
    """
    KeySerializer().run_validation({} if isinstance(request.data, dict) else request.data)  # a body is an object
    key = request.data.get("idempotency_key") if isinstance(request.data, dict) else None
    if key is None:
        return act()
    check_key(str(key))
    assert request.user.pk is not None, "Only signed-in users send a key."
    content = json.dumps([request.method, request.path, request.data], sort_keys=True)
    with transaction.atomic():
        sent, new = SentRequest.objects.get_or_create(
            user_id=request.user.pk,
            key=stored_key(request.user, str(key)),
            defaults={"request": content, "created": clock.now()},
        )
        if not new:
            return _again(sent, content)
        try:
            response = act()
        except DomainError as error:  # rows that it stored nevertheless stay, such as a clock that ran out
            sent.delete()
            failed = error
        else:
            sent.status, sent.answer = response.status_code, json.loads(JSONRenderer().render(response.data) or b"null")
            sent.save(update_fields=["status", "answer"])
            return response
    raise failed


def stored_key(user: acting.User, key: str) -> str:
    """Return the key as it is stored. A remote bot's keys are its own, though it uses its owner's account."""
    bot = acting.bot_of(user)
    if bot is None or bot.bot_version is None:
        return key
    return hashlib.sha256(f"{bot.bot_version.bot_id}/{key}".encode()).hexdigest()


def _again(sent: SentRequest, asked: str) -> Response:
    if sent.request != asked:
        raise DomainError(409, "key_reused", _("This idempotency key was used for another request. Use a new key."))
    return Response(sent.answer, sent.status)


def delete_old_keys() -> int:
    """Delete the keys that nobody will send again; return how many."""
    return SentRequest.objects.filter(created__lt=clock.now() - KEY_RETENTION).delete()[0]
