"""Every view states its policy. The process names a view without one before it serves anything."""

from __future__ import annotations

from typing import Any

from rest_framework import viewsets
from rest_framework.decorators import action
from rest_framework.response import Response
from rest_framework.views import APIView

from games.common.policy import policy, stated
from games.common.policy_checks import faults, views_state_their_policy


class Silent(APIView):
    def get(self, request: Any) -> Response:
        return Response()

    def post(self, request: Any) -> Response:
        return Response()


class Cards(viewsets.ViewSet):
    write_scope = "play"
    remote_bots = "read"
    visible_in_impersonation = True

    def list(self, request: Any) -> Response:
        return Response()

    @policy(rate_limit="plenty")  # type: ignore[arg-type]
    def create(self, request: Any) -> Response:
        return Response()

    @action(detail=False)
    def hidden(self, request: Any) -> Response:
        return Response()

    @action(detail=False)
    @policy(remote_bots="nothing", visible_in_impersonation=False)
    def own(self, request: Any) -> Response:
        return Response()


def test_every_view_states_its_policy() -> None:
    assert views_state_their_policy() == []


def test_what_a_view_does_not_state_is_named() -> None:
    name = f"{__name__}.Silent"
    assert list(faults("api/v1/silent/", Silent.as_view())) == [
        f"{name}.get does not declare remote_bots.",
        f"{name}.get does not declare visible_in_impersonation.",
        f"{name}.post does not declare remote_bots.",
        f"{name}.post does not declare write_scope.",
    ]
    assert list(faults("silent/", Silent.as_view())) == []


def test_an_action_says_itself_whether_it_is_shown_and_a_value_is_a_known_one() -> None:
    name = f"{__name__}.Cards"
    assert list(faults("api/v1/cards/", Cards.as_view({"get": "list", "post": "create"}))) == [
        f"{name}.create declares rate_limit='plenty'. Allowed are guess, webhooks, upload, play, export, read, write."
    ]
    hidden = Cards.as_view({"get": "hidden"})
    assert list(faults("api/v1/cards/hidden/", hidden)) == [
        f"{name}.hidden does not declare its own visible_in_impersonation."
    ]
    assert list(faults("api/v1/cards/own/", Cards.as_view({"get": "own"}))) == []


def test_a_secret_in_an_address_is_stated_by_pages_too() -> None:
    def page(_request: Any, token: str) -> None: ...

    assert len(list(faults("lost/<str:token>/", page))) == 1
    assert list(faults("lost/<str:token>/", policy(secret_parameters=("token",))(page))) == []


def test_an_action_counts_more_than_its_class_and_the_class_for_all_else() -> None:
    view = Cards.as_view({"get": "own"})
    assert [stated(view, method, "remote_bots", "?") for method in ("GET", "HEAD", "OPTIONS", "POST")] == [
        *["nothing"] * 3,
        "read",
    ]
    assert stated(view, "GET", "write_scope", None) == "play"
    assert stated(None, "GET", "write_scope", None) is None
