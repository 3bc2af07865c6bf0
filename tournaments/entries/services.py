"""The services of entries: entering, waiting lists, check-in and withdrawals.

Each function is one transaction under the season's lock, which records the event; its row follows from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Max, Q
from django.utils.translation import gettext as _

from games.accounts import notices
from games.common import clock
from games.common.errors import DomainError, Expected
from games.models import Game, Player, Seat
from games.play import services as play
from games.play.departures import FORFEITED
from tournaments.activity import notifications as season_notifications
from tournaments.activity import subjects
from tournaments.calendar import scheduling
from tournaments.entries.eligibility import check_bounds, check_players, rating_pool_name
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.entries import (
    EntrantAdmitted,
    EntrantCheckedIn,
    EntrantJoined,
    EntrantLeft,
    EntrantListed,
    EntrantWithdrawn,
)
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import GOING_ON, Entrant, Match, Season
from tournaments.seasons.notes import audit_payload
from tournaments.seasons.pairing import format_of
from tournaments.seasons.stream import lock_season

IN, ASKED, WAITING = Entrant.Status.IN, Entrant.Status.ASKED, Entrant.Status.WAITING
ALTERNATE, OUT, WITHDRAWN = Entrant.Status.ALTERNATE, Entrant.Status.OUT, Entrant.Status.WITHDRAWN
INVITED = Entrant.Status.INVITED
LIST_STATUSES = (INVITED, ASKED, WAITING, ALTERNATE)

STANDS_IN = Q(status=IN, called__len__gt=0)  # alternates who have played single rounds
WITHDRAWAL_CAUSES = {"left": "asked", "declined": "organiser"}  # the status of the same step after the start

Actor = User | AnonymousUser | None


def enter_season(*, season: Season, player: Player, by_organiser: bool = True) -> Entrant:
    """Enter `player`, as `enter_players` does."""
    [entrant] = enter_players(season=season, players=[player], by_organiser=by_organiser)
    return entrant


def enter_players(
    *, season: Season, players: Sequence[Player], by_organiser: bool = True, invited: Collection[int] = ()
) -> list[Entrant]:
    """Enter all `players`, or put them on a list if the season is full or an organiser must agree. `by_organiser`: an
    organiser enters them. Those whose ids are in `invited` have not agreed yet, and get an invitation.

    Raises `DomainError` (409): season_started, already_joined, was_withdrawn, other_pool, teams_only, and the errors of
    `eligibility.check_players` and `check_bounds`. Then nobody has entered.
    """
    with transaction.atomic():
        locked = lock_season(season)
        changed = SeasonAggregate(locked)
        entered = enter_into(changed, players, by_organiser=by_organiser, invited=invited)
        changed.commit()
        entrants = list(locked.entries.filter(number__in=entered).select_related("division").order_by("number"))
        for entrant in entrants:
            entrant.season, entrant.player = locked, entered[entrant.number]
    return entrants


def enter_into(
    changed: SeasonAggregate, players: Sequence[Player], *, by_organiser: bool, invited: Collection[int] = ()
) -> dict[int, Player]:
    """Enter `players` into a locked season, as `enter_players` does; return their numbers."""
    season = changed.row
    _check_new_entrants(changed, players)
    check_players(season, players)
    entered = {}
    for player in players:
        if not player.is_team:  # what is asked of players is asked of those of a team
            check_bounds(season, player, by_organiser=by_organiser)
        status = _initial_status(changed, player, by_organiser=by_organiser)
        if player.pk in invited:
            status = INVITED
        number = max(changed.state.entrants, default=0) + 1
        _place(changed, number, player, status)
        entered[number] = player
        if status == ASKED:
            season_notifications.notify_organisers(season, _request_key(number), subjects.entry_requested(str(season)))
    return entered


def _check_new_entrants(season: SeasonAggregate, players: Sequence[Player]) -> None:
    statuses = {entrant.player: entrant.status for entrant in season.state.entrants.values() if entrant.status != OUT}
    for player in players:
        if player.is_team != season.row.competition.by_teams:
            sentence = _("Teams play in {held}. Register a team on its page.")
            if player.is_team:
                sentence = _("Players enter {held} for themselves, not as a team.")
            raise DomainError(409, "teams_only", sentence.format(held=season.row), "entrants")
        if (status := statuses.get(player.pk)) == WITHDRAWN:
            sentence = _("{player} has withdrawn from {held} and cannot enter it again.")
            raise DomainError(409, "was_withdrawn", sentence.format(player=player, held=season.row), "entrants")
        if status is not None:
            sentence = _("{player} is already in {held}.").format(player=player, held=season.row)
            raise DomainError(409, "already_joined", sentence, "entrants")
        statuses[player.pk] = IN


def _initial_status(changed: SeasonAggregate, player: Player, *, by_organiser: bool) -> str:
    """Return the status with which a new entry begins. Raises `DomainError` season_started, other_pool (409)."""
    season, entry = changed.row, changed.row.rules().entry
    if season.status == Season.Status.OPEN:
        if entry.invited_only and not by_organiser:
            return ASKED
        return IN if has_place(changed) and not _count(changed, WAITING) else WAITING
    late = _is_late_entry(season)
    if not accepts_late_entries(season):
        raise DomainError(409, "season_started", _("{held} has started, so entries are closed.").format(held=season))
    check_pool(season, player)
    if entry.invited_only and not by_organiser:
        return ASKED
    return IN if late and has_place(changed) else ALTERNATE


def accepts_late_entries(season: Season) -> bool:
    """Return whether a running season still takes entries, at least of alternates."""
    return season.status in GOING_ON and (_is_late_entry(season) or season.rules().entry.alternates)


def _is_late_entry(season: Season) -> bool:
    return season.status in GOING_ON and _rounds_opened(season) < season.rules().entry.late_rounds


def check_pool(season: Season, player: Player) -> None:
    """Raise `DomainError` other_pool (409) if `player` would move the season to another rating pool."""
    if player.is_team:
        return
    if season.pool not in ("mixed", rating_pool_name([player])):
        sentence = _("{held} started with {pool} only, and its ratings depend on that.")
        raise DomainError(409, "other_pool", sentence.format(held=season, pool=season.pool), "entrants")


def _rounds_opened(season: Season) -> int:
    return season.divisions.aggregate(most=Max("rounds_opened"))["most"] or 0


def _division_for_entry(season: SeasonAggregate) -> int:
    """Return the number of the division of a new entry: the first before the start, later the last one with a place."""
    if season.row.status == Season.Status.OPEN:
        return 1
    tiers = season.row.rules().divisions
    for number, tier in reversed(list(enumerate(tiers, start=1))):
        if tier.max_entrants is None or _count(season, IN, number) < tier.max_entrants:
            return number
    return len(tiers)


def has_place(season: SeasonAggregate) -> bool:
    """Return whether the season has a place left."""
    most = season.row.rules().max_entrants
    return most is None or _count(season, IN) < most


def _count(season: SeasonAggregate, status: str, division: int | None = None) -> int:
    """Return how many entrants have this status, in the season or in one division; without alternates who stand in."""
    entrants = [entrant for entrant in season.state.entrants.values() if not entrant.called]
    return sum(entrant.status == status and division in (None, entrant.division) for entrant in entrants)


def _place(season: SeasonAggregate, number: int, player: Player, status: str, place_of: int | None = None) -> None:
    """Put a player on a list, or admit them with `status` IN, from the next round of their division on."""
    if status != IN:
        season.record(EntrantListed(number, player.pk, status))
        return
    season.record(EntrantJoined(_division_for_entry(season), number, player.pk, place_of))


def admit_waiting(season: SeasonAggregate, place_of: int | None = None) -> int:
    """Admit waiting entrants in order of entry while there are places; return how many. The first one gets the place
    of the entrant `place_of`, who has withdrawn.

    Before the start these are the waiting list, in a running season the alternates.
    """
    season.write_rows()
    row = season.row
    waiting = Q(status=WAITING) if row.status == Season.Status.OPEN else Q(status=ALTERNATE) | STANDS_IN
    moved = 0
    listed = row.entries.filter(waiting).select_related("player__bot_version__bot", "division").order_by("number")
    for entrant in listed:
        if not has_place(season):
            break
        if entrant.called and entrant.division.number != _division_for_entry(season):
            continue  # who has played in a division cannot get a place in another one
        entrant.season = row
        _place(season, entrant.number, entrant.player, IN, None if moved else place_of)
        season_notifications.notify_entrants([entrant], "moved_up", subjects.place_received(str(row)))
        moved += 1
    season.write_rows()
    return moved


def admit_entrant(*, entrant: Entrant, by: Actor = None, note: str = "") -> Entrant:
    """Admit an entrant who asked, or put them on the waiting list if the season is full. Raises `DomainError`:
    not_asking, season_started, other_pool (409), and the errors of `audit_payload`."""
    with transaction.atomic():
        locked = lock_season(entrant.season)
        changed = SeasonAggregate(locked)
        asking = current_entrant(locked, entrant)
        if asking.status != ASKED:
            raise DomainError(409, "not_asking", _("{name} has not asked to enter.").format(name=asking))
        status = admit(changed, asking, EntrantAdmitted(asking.number, audit_payload(locked, by, note)))
        changed.commit()
        sentence = (subjects.entry_accepted if status == IN else subjects.entry_waits)(str(locked))
        season_notifications.notify_entrants([asking], "admitted", sentence)
        return current_entrant(locked, asking)


def admit(season: SeasonAggregate, entrant: Entrant, *before: EntrantAdmitted) -> str:
    """Give an entrant of a list a place, or one on the waiting list, after the events `before`; return the status.
    Raises `DomainError` season_started, other_pool (409)."""
    status = _initial_status(season, entrant.player, by_organiser=True)
    for event in before:
        season.record(event)
    _place(season, entrant.number, entrant.player, status)
    _withdraw_questions(season, entrant)
    return status


def leave_season(*, entrant: Entrant, by: Actor = None, why: str = "left", note: str = "") -> Entrant:
    """Cancel an entry: from a list at any time, from the season before its start; after that it is a withdrawal.

    Raises `DomainError` not_in (409), and the errors of `withdraw_entrant`.
    """
    with transaction.atomic():
        locked = lock_season(entrant.season)
        leaver = current_entrant(locked, entrant)
        if leaver.status == OUT:
            raise DomainError(409, "not_in", _("{name} is not in {season}.").format(name=leaver, season=locked))
        if why == "left" and by is not None and leaver.status == WITHDRAWN:
            raise DomainError(409, "not_in", _("{name} is not in {season}.").format(name=leaver, season=locked))
        changed = SeasonAggregate(locked)
        if leaver.status not in LIST_STATUSES and locked.status != Season.Status.OPEN:
            withdraw_from(changed, leaver, WITHDRAWAL_CAUSES.get(why, why), by, note)
        else:
            invited = leaver.status == INVITED  # of that others see nothing, whoever ends it
            remove_entrants(changed, [leaver], "not_accepted" if invited and why != "left" else why, by, note)
            if why == "left" and invited:
                key = f"invitation_declined:{leaver.number}"
                season_notifications.notify_organisers(locked, key, subjects.invitation_declined(str(locked)))
            if locked.status == Season.Status.OPEN:
                admit_waiting(changed)
        changed.commit()
        return current_entrant(locked, leaver)


def remove_entrants(
    season: SeasonAggregate, entrants: Iterable[Entrant], why: str, by: Actor = None, note: str = ""
) -> None:
    """Remove `entrants` who have played nothing from the season."""
    for entrant in entrants:
        season.record(EntrantLeft.of(entrant.number, why, audit_payload(season.row, by, note)))
        _withdraw_questions(season, entrant)


def _request_key(number: int) -> str:
    """Return the key of the notice to organisers that an entrant asks to enter."""
    return f"asked:{number}"


def invitation_key(season: Season) -> str:
    """Return the key of the notice to a person who is invited to a season, also with several bots."""
    return f"invited:{season.pk}"


def _withdraw_questions(season: SeasonAggregate, entrant: Entrant) -> None:
    """Withdraw what the notices about an `entrant`, who was invited or asked to enter, ask: it is now recorded that
    this is answered or over."""
    if entrant.status == ASKED:
        season_notifications.withdraw_from_organisers(season.row, _request_key(entrant.number))
    user = person_behind(entrant.player)
    if entrant.status == INVITED and user is not None:
        invited = [entrant.player for entrant in season.state.entrants.values() if entrant.status == INVITED]
        my_bots = Q(user=user) | Q(bot_version__bot__owner=user)
        if not Player.objects.filter(my_bots, pk__in=invited).exists():
            notices.withdraw_notices([user], invitation_key(season.row))


def person_behind(player: Player) -> int | None:
    """Return the user who plays, or who owns the bot; None for a team, which has a captain."""
    return player.bot_version.bot.owner_id if player.bot_version else player.user_id


def check_in_entrant(*, entrant: Entrant) -> Entrant:
    """Check in for the start. Raises `DomainError` (409): no_check_in, too_early, too_late, not_in."""
    now = clock.now()
    with transaction.atomic():
        locked = lock_season(entrant.season)
        there = current_entrant(locked, entrant)
        hours = locked.rules().entry.check_in_hours
        if not hours:
            raise DomainError(409, "no_check_in", _("Nobody needs to check in for {season}.").format(season=locked))
        if locked.status != Season.Status.OPEN:
            raise DomainError(409, "too_late", _("{season} has started.").format(season=locked))
        if now < check_in_opens_at(locked):
            sentence = _("Check-in for {season} opens {hours} hours before the start.")
            raise DomainError(409, "too_early", sentence.format(season=locked, hours=hours))
        if there.status not in (IN, WAITING):
            raise DomainError(409, "not_in", _("{name} is not in {season}.").format(name=there, season=locked))
        if there.checked_in_at is None:
            changed = SeasonAggregate(locked)
            changed.record(EntrantCheckedIn(there.number))
            changed.commit()
        return current_entrant(locked, there)


def check_in_opens_at(season: Season) -> datetime:
    """Return when check-in for the start opens."""
    return season.starts_at - timedelta(hours=season.rules().entry.check_in_hours)


def withdraw_entrant(*, entrant: Entrant, why: str, by: Actor = None, note: str = "") -> Entrant:
    """Withdraw a playing entrant permanently. Their unfinished games are forfeited, the season's settings decide about
    their results, and the first alternate takes the place. Repeating this changes nothing.

    `why`: asked, organiser, no_shows, account (it was deleted) or admin (a sanction). Raises `DomainError` (409):
    not_in, season_over.
    """
    with transaction.atomic():
        changed = SeasonAggregate(lock_season(entrant.season))
        withdraw_from(changed, entrant, why, by, note)
        changed.commit()
        return current_entrant(changed.row, entrant)


def withdraw_from(season: SeasonAggregate, entrant: Entrant, why: str, by: Actor = None, note: str = "") -> None:
    """Withdraw an entrant from a locked season, as `withdraw_entrant` does."""
    row, leaver = season.row, current_entrant(season.row, entrant)
    if leaver.status == WITHDRAWN:
        return
    if leaver.status != IN:
        raise DomainError(409, "not_in", _("{name} is not in {season}.").format(name=leaver, season=row))
    if row.status not in GOING_ON:
        raise DomainError(409, "season_over", _("{season} is not being played.").format(season=row))
    played, of = games_played(season.state, leaver)
    season.record(EntrantWithdrawn.of(leaver.number, why, played, of, audit_payload(row, by, note)))
    forfeit_games(leaver)
    scheduling.lapse_proposals(Match.objects.filter(entrants__entrant=leaver))
    scheduling.call_off_matches(season, leaver)
    admit_waiting(season, place_of=leaver.number)
    _notify_withdrawn(row, leaver, why)


def games_played(folded: SeasonFold, entrant: Entrant) -> tuple[int, int]:
    """Return how many games an entrant has finished, and how many the season has for each entrant; 0 for the latter if
    results stand in any case, because not everybody meets everybody."""
    division_state = folded.division(entrant.division.number)
    records = [record for past in division_state.rounds for match in past.matches for record in match.records.values()]
    played = sum(
        entrant.number in record["seats"] and record["seats"].index(entrant.number) not in record["left"]
        for record in records
    )
    settings = folded.settings
    format = format_of(folded)
    rounds = format.rounds(len(division_state.entrants), settings["table_size"], settings["format_options"])
    if not format.everybody_meets or not rounds:
        return played, 0
    seats = len(division_state.entrants) // folded.settings["table_size"] * folded.settings["table_size"]
    return played, rounds * seats * folded.settings["games_a_match"] // len(division_state.entrants)


def forfeit_games(entrant: Entrant) -> None:
    """Forfeit all unfinished games of an entrant, or of the players of a team. A bot finishes the games that it has
    begun."""
    players = [entrant.player]
    if entrant.player.is_team:
        players = [row.player for row in entrant.members.select_related("player")]
    people = [player for player in players if not player.is_bot]
    sits = Seat.objects.filter(
        game__match_game__match__entrants__entrant=entrant, game__status=Game.Status.PLAYING, player__in=people
    )
    for seat in sits.select_related("game"):
        forfeit_seat(seat.game, seat.seat)


def forfeit_seat(game: Game, seat: int) -> None:
    """Forfeit a seat of a game, which may have just ended or been left before."""
    with Expected("game_over", "not_your_seat"):
        play.leave_game(game=game, seat=seat, how=FORFEITED)


def _notify_withdrawn(season: Season, entrant: Entrant, why: str) -> None:
    withdrawn = {"no_shows": subjects.withdrawn_after_no_shows, "organiser": subjects.withdrawn_by_organiser}
    if why in withdrawn:
        season_notifications.notify_entrants([entrant], "withdrawn", withdrawn[why](str(season)))
    for match in scheduling.unfinished_matches(entrant).select_related("round"):
        season_notifications.notify_match(match, entrant, subjects.opponent_withdrew(str(season), match.round.number))
    key = f"withdrawn:{entrant.number}"
    season_notifications.notify_organisers(season, key, subjects.player_left(str(season)))


def current_entrant(season: Season, entrant: Entrant) -> Entrant:
    """Return the entrant's current row, in a season that the caller has locked."""
    found = season.entries.select_related("division", "player__bot_version__bot").get(pk=entrant.pk)
    found.season = season
    return found
