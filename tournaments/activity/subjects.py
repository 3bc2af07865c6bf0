"""The notification subjects of seasons, and their sentences. `season` is its name."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.accounts.notices import moment_text
from games.accounts.subjects import NoticeSubject
from games.common.labels import ordinal
from scorebook_games.presentation.coded_text import sentence

REGISTRATION: Final = "registration"
NUDGE: Final = "nudge"
SEASON_INVITATION: Final = "season_invitation"
SEASON_NEEDS_YOU: Final = "season_needs_you"

SUBJECTS: Final = {
    REGISTRATION: NoticeSubject(gettext_lazy("News of a season that you play in"), "{text}"),
    SEASON_INVITATION: NoticeSubject(gettext_lazy("You are invited to a season"), "{text}"),
    NUDGE: NoticeSubject(
        gettext_lazy("An organiser reminds you to play a match"),
        gettext_lazy("An organiser reminds you to play your match: {text}."),
    ),
    SEASON_NEEDS_YOU: NoticeSubject(gettext_lazy("A season of your club needs you"), "{text}"),
}


@sentence
def round_of_season(season: str, number: int) -> str:
    return _("{season}, round {number}").format(season=season, number=number)


# Entries


@sentence
def entered_by_organiser(season: str) -> str:
    return _("You were entered in {season}. If you do not want to play, decline on its page.").format(season=season)


@sentence
def invited_to_season(season: str) -> str:
    return _("You are invited to {season}. Accept or decline on its page.").format(season=season)


@sentence
def invitation_declined(season: str) -> str:
    return _("A player has declined your invitation to {season}.").format(season=season)


@sentence
def invitation_lapsed(season: str) -> str:
    return _("{season} has started without you, because you had not accepted the invitation.").format(season=season)


@sentence
def entry_requested(season: str) -> str:
    return _("A player asks to enter {season}. Accept or decline.").format(season=season)


@sentence
def entry_accepted(season: str) -> str:
    return _("You are in {season}.").format(season=season)


@sentence
def entry_waits(season: str) -> str:
    return _("You are on the waiting list of {season}.").format(season=season)


@sentence
def place_received(season: str) -> str:
    return _("You now have a place in {season}.").format(season=season)


@sentence
def withdrawn_after_no_shows(season: str) -> str:
    return _("You have been withdrawn from {season}, because you did not show up for games.").format(season=season)


@sentence
def withdrawn_by_organiser(season: str) -> str:
    return _("An organiser has withdrawn you from {season}.").format(season=season)


@sentence
def availability_set(season: str) -> str:
    return _("An organiser has set in which rounds of {season} you can play. Its page shows them.").format(
        season=season
    )


@sentence
def opponent_withdrew(season: str, number: int) -> str:
    words = _("{season}, round {number}: a player of your match has withdrawn. Its page says how it counts.")
    return words.format(season=season, number=number)


@sentence
def player_left(season: str) -> str:
    words = _("A player has left {season}. The season’s page says who, and what happens to the results.")
    return words.format(season=season)


@sentence
def not_checked_in(season: str) -> str:
    return _("{season} has started without you, because you did not check in.").format(season=season)


@sentence
def no_place_left(season: str) -> str:
    return _("{season} has started without you, because all places were taken.").format(season=season)


@sentence
def now_alternate(season: str) -> str:
    words = _(
        "{season} has started without you, because all places were taken. You are an alternate and may "
        "get a place if somebody withdraws."
    )
    return words.format(season=season)


@sentence
def called_for_round(season: str, number: int) -> str:
    words = _("You play in round {number} of {season}, in the place of a player who misses it.")
    return words.format(season=season, number=number)


# The season as a whole


@sentence
def cannot_start(season: str, why: str) -> str:
    """`why`: the code of the error with which it did not start by itself."""
    if why == "too_few_entrants":
        words = _("{season} has not started after its check-in, because it has too few entrants.")
    else:
        words = _("{season} has not started after its check-in. Start it on its page, which says what is missing.")
    return words.format(season=season)


@sentence
def season_cancelled(season: str, reason: str) -> str:
    return _("{season} has been cancelled: {reason}").format(season=season, reason=reason)


@sentence
def season_paused(season: str) -> str:
    return _("{season} is paused. No round begins until it is resumed.").format(season=season)


@sentence
def season_resumed(season: str) -> str:
    return _("{season} has been resumed.").format(season=season)


@sentence
def season_abandoned(season: str) -> str:
    return _("{season} has been abandoned. Its page says why.").format(season=season)


@sentence
def round_extended(number: int, season: str) -> str:
    return _("Round {number} of {season} has been extended.").format(number=number, season=season)


@sentence
def round_overdue(number: int, season: str, games: int) -> str:
    words = ngettext(
        "The deadline of round {number} of {season} has passed, and {games} game is not finished. Decide how it "
        "counts.",
        "The deadline of round {number} of {season} has passed, and {games} games are not finished. Decide how they "
        "count.",
        games,
    )
    return words.format(number=number, season=season, games=games)


@sentence
def result_disputed(season: str) -> str:
    return _("A result in {season} is disputed. Decide about it in your inbox.").format(season=season)


# Challenges of a ladder


@sentence
def challenge_received(season: str) -> str:
    return _("You have been challenged in {season}.").format(season=season)


@sentence
def answer_challenge() -> str:
    return _("Accept or decline on the season’s page.")


@sentence
def answer_challenge_by(until: float) -> str:
    """`until`: seconds since 1970."""
    words = _("Accept or decline on the season’s page by {until}. If you do not answer, you have declined.")
    return words.format(until=moment_text(datetime.fromtimestamp(until, UTC)))


@sentence
def challenge_accepted(season: str) -> str:
    words = _("Your challenge in {season} was accepted. The match begins as soon as both of you are free.")
    return words.format(season=season)


@sentence
def challenge_withdrawn(season: str) -> str:
    return _("A challenge to you in {season} was withdrawn.").format(season=season)


@sentence
def challenge_lapsed(season: str) -> str:
    words = _("A challenge by you or to you in {season} has expired or can no longer be played.")
    return words.format(season=season)


@sentence
def challenge_declined(season: str) -> str:
    return _("Your challenge in {season} was declined.").format(season=season)


@sentence
def challenge_unanswered(season: str) -> str:
    return _("Your challenge in {season} was not answered, so it counts as declined.").format(season=season)


@sentence
def refused_challenge(season: str, count: int) -> str:
    words = _("You have declined a challenge in {season}. This is your {count} decline.")
    return words.format(season=season, count=ordinal(count))


@sentence
def left_challenge_unanswered(season: str, count: int) -> str:
    words = _("A challenge to you in {season} expired, and counts as declined. This is your {count} decline.")
    return words.format(season=season, count=ordinal(count))


@sentence
def refusal_is_free() -> str:
    return _("It costs nothing.")


@sentence
def refusal_won_place(place: int) -> str:
    return _("You have place {place} of the ladder.").format(place=place)


@sentence
def refusal_cost_place(place: int) -> str:
    return _("It costs you place {place} of the ladder.").format(place=place)
