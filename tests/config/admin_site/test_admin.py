"""The admin's lists show and find every kind of row, and none can be edited."""

from __future__ import annotations

from datetime import date

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.urls import reverse

from games.accounts import dataset_consent, notices, people
from games.admin_actions.model_admin import ReadOnlyModelAdmin
from games.clocks import outages
from games.clocks.models import Heartbeat, PlatformOutage, Vacation
from games.common import clock, incidents
from games.common.models import Incident
from games.lobby import services as lobby
from games.lobby.table_request import TableRequest
from games.models import Game, Player
from games.play import offers
from games.play import services as play
from games.visibility.models import Presence
from scorebook_games.presentation.coded_text import plain

pytestmark = pytest.mark.django_db

# Models without a list. Their rows are on the page of another row, or are only for machines.
WITHIN = {
    "ProposalAnswer",
    "Seat",
    "Chair",
    "Division",
    "MatchEntrant",
    "MatchGame",
    "Bye",
    "RatingChange",
    "ImpersonationPageView",
}
WITHIN |= {"ImportedGame", "TeamMember", "BoardPlayer", "EmptyBoard"}
MACHINES = {
    "RateBucket",
    "BotResponseTimes",
    "Stream",
    "Batch",
    "Deal",
    "SentRequest",
    "PendingBundle",
    "Session",
}
MACHINES |= {"BotSource", "TableChange"}
MACHINES |= {"SealedLineup"}  # nobody but its team may see it
MACHINES |= {"CommentaryAddress"}  # a secret, by its digest
MACHINES |= {"PrivateNote", "PersonalMute"}  # for their author alone
MACHINES |= {"Seeker"}  # there for some seconds
LISTS = [model for model, each in admin.site._registry.items() if isinstance(each, ReadOnlyModelAdmin)]


@pytest.fixture(scope="module")
def ada(kept: None) -> Client:
    """Return the admin's browser."""
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


@pytest.fixture(scope="module")
def game(kept: None) -> Game:
    """Return a game of Martha's that she resigned, with an offer of a rematch, and create other rows about people."""
    martha, laura = (
        people.create_profile_and_player(User.objects.create_user(name.lower()), name) for name in ("Martha", "Laura")
    )
    assert martha.user
    game = play.open_game(kind="plates", players=[martha, laura], terms={"rated": False})
    play.leave_game(game=game, seat=0, how="resigned")
    offers.offer_rematch(game=game, seat=0)
    lobby.create_table(host=martha, wish=TableRequest(kind="palace", seats=2, access="invited", invited=[laura]))
    now = clock.now()
    Vacation.objects.create(
        user=martha.user, start=date(2027, 7, 1), end=date(2027, 7, 9), zone="UTC", announced_at=now
    )
    PlatformOutage.objects.create(part=outages.BEAT_PART, start=now, end=now)
    Heartbeat.objects.create(part=outages.BEAT_PART, at=now)
    Presence.objects.create(game=game, seat=0, process="00000000-0000-0000-0000-000000000001", seen_at=now)
    dataset_consent.set_consent(user=martha.user, given=True)
    notices.notify_users([martha.user.pk], "challenge", key="x", game=game, by=laura)
    return game


def test_every_model_has_a_list_stands_within_another_or_is_for_machines() -> None:
    models = {model for model in apps.get_models() if model.__module__.startswith(("games.", "tournaments."))}
    named = {model.__name__ for model in admin.site._registry}
    assert {model.__name__ for model in models} - named == WITHIN | MACHINES


@pytest.mark.parametrize("model", LISTS, ids=lambda model: model.__name__)
def test_a_list_is_found_searched_and_read(ada: Client, game: Game, model: type) -> None:
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"  # type: ignore[attr-defined]
    answer = ada.get(reverse(f"{name}_changelist"))
    assert answer.status_code == 200
    each, request = admin.site._registry[model], answer.wsgi_request
    found, _doubled = each.get_search_results(request, each.get_queryset(request), "martha")
    found.exists()  # the database accepts the search
    for row in model.objects.all()[:1]:  # type: ignore[attr-defined]
        assert ada.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200


def test_nothing_in_a_list_is_edited(ada: Client, game: Game) -> None:
    """The permissions of all lists are checked, and one list by a request."""
    request = RequestFactory().get("/")
    request.user = User.objects.get(username="ada")
    shown = [each for each in admin.site._registry.values() if isinstance(each, ReadOnlyModelAdmin)]
    allowed = {each.opts.model_name: each.get_model_perms(request) for each in shown}
    nothing = {"add": False, "change": False, "delete": False, "view": True}
    assert [name for name, may in allowed.items() if may != nothing] == []
    assert ada.get(reverse("admin:games_game_add")).status_code == 403
    assert ada.post(reverse("admin:games_game_change", args=[game.pk]), {}).status_code == 403
    assert ada.post(reverse("admin:games_game_delete", args=[game.pk]), {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("model", ["accounts_notice", "visibility_presence", "play_rematchwish"])
def test_rows_about_a_game_lead_to_it(ada: Client, game: Game, model: str) -> None:
    page = ada.get(reverse(f"admin:{model}_changelist"), {"q": game.public_id}).content.decode()
    assert reverse("admin:games_game_change", args=[game.pk]) in page


def test_an_incident_is_read_as_a_sentence(ada: Client, game: Game) -> None:
    sentence = plain([incidents.game_aborted(game.public_id, "the storm")])
    made = Incident.objects.create(at=clock.now(), cause=Incident.Cause.INFRASTRUCTURE, game=game, sentences=sentence)
    page = ada.get(reverse("admin:common_incident_change", args=[made.pk])).content.decode()
    assert (f"Game {game.public_id} was aborted: the storm" in page, "game_aborted" in page) == (True, False)


def test_a_profile_leads_to_its_player_and_is_found_by_name(ada: Client, game: Game) -> None:
    martha = Player.objects.get(name="Martha")
    page = ada.get(reverse("admin:accounts_profile_changelist"), {"q": "Martha"}).content.decode()
    assert reverse("admin:games_player_change", args=[martha.pk]) in page
    assert "Laura" not in page
