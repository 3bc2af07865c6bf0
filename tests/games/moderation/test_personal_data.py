"""For every field that points to a person, this says whether the row is in their export of data and what happens to it
when their account is deleted. A new model fails until that is decided."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection, models

from games.accounts import people
from games.accounts.export import account_data
from games.accounts.models import ReservedName, Sanction
from games.bots import uploads
from games.common import clock
from games.models import Bot, BotVersion, Player
from games.moderation import impersonation, reports, sanctions
from tests.games.moderation.conftest import Join
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs import members, posts
from tournaments.seasons.models import Entrant

pytestmark = pytest.mark.django_db

PEOPLE: Final = (User, Player, Bot, BotVersion, Entrant)
CASCADE, SET_NULL, PROTECT, DO_NOTHING = "CASCADE", "SET_NULL", "PROTECT", "DO_NOTHING"


class Held(NamedTuple):
    """The treatment of a field: its key in the export, or "" and the reason, and what Django does with the row on
    deletion."""

    export: str
    on_delete: str
    why: str = ""


OTHERS: Final = "others' own: what they were told, reported, or decided in office"
OFFICE: Final = "what somebody did in office as an admin: the platform's books, without them when they go"
FOLLOWS: Final = "follows from the games, and each of them is in the export"
NOT_PERSONAL: Final = "figures of the machine"

DECIDED: Final[dict[str, Held]] = {
    "account.EmailAddress.user": Held("account", CASCADE),
    "mfa.Authenticator.user": Held("second_factor", CASCADE),
    "admin.LogEntry.user": Held("", CASCADE, OFFICE),
    "accounts.AccessToken.user": Held("access_tokens", CASCADE),
    "accounts.AccessToken.bot": Held("access_tokens", CASCADE),
    "admin_actions.AdminAction.by": Held("", DO_NOTHING, OFFICE),  # an id
    "workers.BotResponseTimes.bot_version": Held("", CASCADE, NOT_PERSONAL),
    "games.Bot.owner": Held("bots", SET_NULL),  # the name and the sources are removed: uploads.retire
    "games.Bot.plays": Held("bots", SET_NULL),
    "bots.BotSource.version": Held("bots", CASCADE),
    "games.BotVersion.bot": Held("bots", CASCADE),
    "lobby.Chair.player": Held("tables", CASCADE),
    "play.Fault.bot_version": Held("bots", CASCADE),
    "accounts.ReservedName.user": Held("names_taken_away", SET_NULL),
    "practice.Exercise.player": Held("exercises", CASCADE),
    "practice.PuzzleAnswer.player": Held("puzzle_answers", CASCADE),
    "review.DecisionCost.player": Held("", CASCADE, FOLLOWS),
    "review.GameReview.asked_by": Held("", SET_NULL, "a review says nothing of who asked for it"),
    "common.Incident.player": Held("", SET_NULL, "the platform's own errors; their sentences name no person"),
    "operations.AdminJob.by": Held("", SET_NULL, OFFICE),
    "accounts.DatasetConsent.user": Held("dataset_consents", CASCADE),
    "accounts.Sanction.user": Held("measures", CASCADE),
    "accounts.Sanction.by": Held("", SET_NULL, OFFICE),
    "accounts.Notice.user": Held("notices", CASCADE),
    "accounts.Notice.by": Held("", CASCADE, OTHERS),
    "lobby.Seeker.player": Held("seeks", CASCADE),
    "lobby.OpenTable.host": Held("tables", CASCADE),
    "games.Player.user": Held("player", SET_NULL),  # people.forget removes the name
    "games.Player.bot_version": Held("bots", PROTECT),
    "accounts.PushDevice.user": Held("devices", CASCADE),
    "accounts.Profile.user": Held("profile", CASCADE),
    "moderation.Report.by": Held("reports", SET_NULL),
    "moderation.Report.about": Held("", SET_NULL, OTHERS),  # it would reveal who reported
    "moderation.Report.answered_by": Held("", SET_NULL, OFFICE),
    "games.Seat.player": Held("games", PROTECT),
    "common.SentRequest.user": Held("", CASCADE, "copies of answers that were given, kept for a day"),
    "moderation.ImpersonationSession.user": Held("support_views", CASCADE),
    "moderation.ImpersonationSession.admin": Held("", SET_NULL, OFFICE),
    "talk.Message.author": Held("messages", CASCADE),
    "talk.Message.removed_by": Held("", SET_NULL, OFFICE),
    "talk.PrivateNote.author": Held("private_notes", CASCADE),
    "talk.PrivateNote.player": Held("", CASCADE, OTHERS),
    "talk.PersonalMute.by": Held("muted_people", CASCADE),
    "talk.PersonalMute.player": Held("", CASCADE, OTHERS),
    "games.Trial.version": Held("bots", CASCADE),
    "games.Trial.against": Held("bots", CASCADE),
    "clocks.Vacation.user": Held("vacations", CASCADE),
    "seasons.OrganiserAction.by": Held("organiser_actions", DO_NOTHING),  # an id
    "calendar.ProposalAnswer.entrant": Held("seasons", CASCADE),
    "seasons.BoardPlayer.entrant": Held("", CASCADE, FOLLOWS),
    "seasons.BoardPlayer.player": Held("", PROTECT, FOLLOWS),
    "seasons.SealedLineup.by": Held("lineups", SET_NULL),
    "seasons.SealedLineup.entrant": Held("lineups", CASCADE),
    "seasons.TeamMember.entrant": Held("teams", CASCADE),
    "seasons.TeamMember.player": Held("teams", PROTECT),
    "seasons.Bye.entrant": Held("", CASCADE, FOLLOWS),
    "seasons.Bye.missing": Held("", SET_NULL, FOLLOWS),
    "calendar.CalendarAddress.user": Held("calendar_address", CASCADE),
    "commentary.CommentaryAddress.by": Held("", SET_NULL, OFFICE),
    "clubs.Club.owner": Held("clubs", PROTECT),  # handed over first
    "clubs.Club.offered_to": Held("clubs_offered", SET_NULL),
    "clubs.ClubEvent.by": Held("club_acts", SET_NULL),
    "clubs.ClubEvent.about": Held("club_events", SET_NULL),  # clubs.receivers clears the words
    "clubs.ClubPost.by": Held("club_news", SET_NULL),
    "rulings.Dispute.entrant": Held("notes", CASCADE),
    "seasons.Entrant.player": Held("seasons", PROTECT),
    "clubs.Invitation.by": Held("club_invitations_made", SET_NULL),
    "clubs.JoinRequest.user": Held("club_requests", CASCADE),
    "seasons.MatchEntrant.entrant": Held("", CASCADE, FOLLOWS),
    "clubs.Membership.user": Held("clubs", CASCADE),
    "seasons.Note.author": Held("notes", SET_NULL),
    "calendar.Proposal.by": Held("seasons", CASCADE),
    "ratings.Rating.player": Held("ratings", CASCADE),
    "ratings.RatingChange.player": Held("", CASCADE, FOLLOWS),
    "standings.Standing.entrant": Held("seasons", CASCADE),
    "ratings.Strength.entrant": Held("", CASCADE, FOLLOWS),
    "webhooks.Webhook.user": Held("webhooks", CASCADE),
    "webhooks.Webhook.made_by": Held("webhooks", SET_NULL),
}


def pointing() -> dict[str, str]:
    """Return every field that points to a person, or to something that belongs to one, with its rule of deletion."""
    found = {}
    for model in apps.get_models():
        for field in model._meta.get_fields():
            if isinstance(field, models.ForeignKey) and field.related_model in PEOPLE:
                on_delete: Any = field.remote_field.on_delete
                found[f"{model._meta.label}.{field.name}"] = on_delete.__name__
    return found


def test_of_every_row_that_points_to_a_person_it_is_decided_what_becomes_of_it() -> None:
    assert pointing() == {name: held.on_delete for name, held in DECIDED.items()}
    assert [name for name, held in DECIDED.items() if not held.export and not held.why] == []


def test_what_is_said_to_be_in_the_export_has_a_place_there(martha: User) -> None:
    assert {held.export for held in DECIDED.values() if held.export} <= account_data(martha).keys()


@pytest.fixture
def busy(martha: User, laura: User, otto: User, ada: User) -> User:
    """Return Martha, about whom most tables that may have such a row have one."""
    club = club_lifecycle.found_club(user=otto, name="Lantern Street")
    members.join_club(club=club, user=martha, words="I am Marthas cousin and play well.")
    club.memberships.create(user=martha, role="organiser")
    posts.create_post(club=club, user=martha, title="Hall shut", text="On Thursday, says Martha.")
    uploads.new_bot(owner=martha, name="Gannet", description="Marthas own diving bird.")
    reports.file_report(
        by=martha, target="person", pk=Player.objects.get(user=laura).pk, cause="name", words="Marthas words"
    )
    reports.file_report(
        by=laura, target="person", pk=Player.objects.get(user=martha).pk, cause="name", words="Lauras words"
    )
    warned = sanctions.warn(user=martha, by=ada, reason="Be kind.")
    sanctions.object_to(user=martha, pk=warned.pk, words="I was.")
    sanctions.mark_warning_read(user=martha, pk=warned.pk)
    sanctions.mute(user=martha, by=ada, reason="Insults.", until=clock.now().replace(year=2100))
    sanctions.reserve_name("Rudeword", martha)
    impersonation.begin_impersonation(admin=ada, user=martha, reason="She asked.")
    return martha


def test_the_export_has_what_was_written_by_and_about_them_and_nothing_of_who_reported(busy: User) -> None:
    held = account_data(busy)
    assert [each["words"] for each in held["reports"]] == ["Marthas words"]
    assert [each["kind"] for each in held["measures"]] == ["mute", "warning"]
    assert held["measures"][1]["objection"] == "I was."
    assert held["bots"][0]["description"] == "Marthas own diving bird."
    assert held["club_news"][0]["text"] == "On Thursday, says Martha."
    assert held["club_requests"][0]["words"] == "I am Marthas cousin and play well."
    assert held["names_taken_away"][0]["key"] == "rudevvord".replace("vv", "w")
    assert held["support_views"][0]["reason"] == "She asked."
    assert "Lauras words" not in str(held)


def test_after_a_deletion_no_table_points_to_them_and_their_words_to_admins_are_gone(
    busy: User, join: Join, otto: User
) -> None:
    pk, name = busy.pk, "martha@example.org"
    people.delete_account(busy)
    with connection.cursor() as cursor:
        for model in apps.get_models():
            for field in model._meta.get_fields():
                if isinstance(field, models.ForeignKey) and field.related_model is User:
                    cursor.execute(f'SELECT count(*) FROM "{model._meta.db_table}" WHERE "{field.column}" = %s', [pk])
                    assert cursor.fetchone() == (0,), field
            cursor.execute(
                f'SELECT count(*) FROM "{model._meta.db_table}" AS row WHERE row::text LIKE %s', [f"%{name}%"]
            )
            assert cursor.fetchone() == (0,), model
    assert not Sanction.objects.exists()
    assert ReservedName.objects.get().user is None, "the name stays held, and is nobody's"
    assert not Player.objects.filter(name="Martha").exists()
