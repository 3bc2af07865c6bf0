"""Rulings of organisers: adjudicate, annul, replay, undo a round. Each is a new event in the season's stream with its
author and reason; nothing in the stream is ever changed.

Each service is one transaction under the season's lock. It records the event, from which the rows follow, corrects
ratings, and notifies the people concerned. With a `key`, a request that is sent twice is carried out once. With the
`version` of a match, the second of two simultaneous rulings is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError, Expected
from games.models import Game
from games.play import services as play
from scorebook_games.gamelog.endings import aborted
from scorebook_games.presentation.coded_text import Sentence
from tournaments.calendar import scheduling
from tournaments.calendar.timetable import games_begin_at
from tournaments.clubs.models import Club
from tournaments.clubs.permissions import may_organise
from tournaments.core.results import seats_of_game
from tournaments.director import finish_divisions, open_games
from tournaments.formats.groups import GROUP_SLOT_PREFIX
from tournaments.rulings import disputes
from tournaments.rulings.disputes import notify_match_players
from tournaments.rulings.subjects import replay_ordered, result_adjudicated, result_annulled, round_undone
from tournaments.seasons import notes
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.rounds import PairingReleased, RoundUndone
from tournaments.seasons.events.rulings import GameAdjudicated, GameAnnulled, GameOrdered
from tournaments.seasons.fold import MatchState, SeasonFold
from tournaments.seasons.models import (
    GOING_ON,
    Division,
    Entrant,
    Match,
    MatchGame,
    OrganiserAction,
    Round,
    Season,
)
from tournaments.seasons.stream import lock_season
from tournaments.teams import lineups

Actor = User | AnonymousUser

MAX_SCORE = 1_000_000
FINISHED_STATUS = Season.Status.FINISHED


@dataclass(frozen=True, slots=True)
class RulingContext:
    """A match that is decided about: its `state` and `row`, and its locked season (`changed`). `payload` is the payload
    with author and reason."""

    changed: SeasonAggregate
    state: MatchState
    row: Match
    payload: dict[str, Any]

    @property
    def season(self) -> Season:
        return self.changed.row

    @property
    def entrants(self) -> int:
        return len(self.state.entrants)


def adjudicate(
    *,
    match: Match,
    places: Sequence[int],
    by: Actor,
    note: str,
    game: int | None = None,
    scores: Sequence[int] | None = None,
    key: str = "",
    version: int | None = None,
) -> OrganiserAction:
    """Decide the result of a match, or of its game number `game` only: `places` 1 … and `scores`, both in the order of
    the match's entrants. Running games are ended, and games that were not opened yet are not played. A match that still
    waits for its time is decided without playing. Raises `DomainError` 400: bad_places, bad_scores, note_needed,
    bad_note; 403 not_organiser; 404 no_such_game; 409: stale_match, round_undone, imported_result, season_over,
    next_round_paired, playoff_opened."""

    def decide(case: RulingContext) -> None:
        placings = _check_placings(case, places)
        worth = _check_scores(case, scores)
        opened = not case.state.games and game is None
        if opened:
            _open_waiting_match(case)
        rows = _current_games(case) if game is None else [_find_game(case, game)]
        for row in rows:
            case.changed.record(_adjudicate(case, row, placings, worth, played=not opened))
        if game is None:
            missing = set(range(1, case.state.size + 1)) - {row.number for row in rows} - case.state.empty.keys()
            case.changed.record(
                *[GameAnnulled(case.state.id, n, case.payload) for n in sorted(missing - case.state.annulled)]
            )
        open_games.open_next_games(case.changed, rows)

    return _rule_on_match(match, decide, game, by=by, note=note, key=key, version=version)


def annul_game(
    *, match: Match, game: int, by: Actor, note: str, key: str = "", version: int | None = None
) -> OrganiserAction:
    """Annul a game, so that it counts for nobody. Raises `DomainError` as `adjudicate` does, and 409: annulled_already,
    no_result_left if nobody would advance in a bracket."""

    def decide(case: RulingContext) -> None:
        one = _find_game(case, game)
        if game in case.state.annulled:
            raise DomainError(
                409, "annulled_already", _("Game {number} has already been annulled.").format(number=game)
            )
        if case.season.competition.eliminates and len(case.state.annulled) + 1 >= case.state.size:
            sentence = _("Without this game nobody would advance from the match. Adjudicate it, or order a replay.")
            raise DomainError(409, "no_result_left", sentence)
        end_game(one)
        case.changed.record(GameAnnulled(case.state.id, game, case.payload))
        open_games.open_next_games(case.changed, [one])

    return _rule_on_match(match, decide, game, by=by, note=note, key=key, version=version)


def order_replay(
    *, match: Match, game: int, by: Actor, note: str, key: str = "", version: int | None = None
) -> OrganiserAction:
    """Order a replay of a game in the same seats; the old result does not count any more. The new game has a new deal,
    because its players have seen the old one. Raises `DomainError` as `adjudicate` does, and 409: entrant_gone,
    successor_open."""

    def decide(case: RulingContext) -> None:
        one = _find_game(case, game)
        _check_may_play(case)
        end_game(one)
        [new] = open_games.open_games(
            case.season, [open_games.setup_of_game(one.game)], games_begin_at(case.season, clock.now())
        )
        case.changed.record(GameOrdered(case.state.id, game, one.game_id, new.pk, case.payload))

    return _rule_on_match(match, decide, game, by=by, note=note, key=key, version=version)


def undo_round(
    *, division: Division, number: int, by: Actor, note: str, key: str = "", round_id: int | None = None
) -> OrganiserAction:
    """Undo the last round of a division: its results do not count, and its running games are ended. Nothing is paired
    until `pair_again`; the next round then has this number. With `round_id`, nothing is undone if another round has
    taken the number since that round was seen. Raises `DomainError` 400: note_needed, bad_note; 403 not_organiser; 409:
    not_last_round, stale_round, imported_result, season_over, playoff_opened, successor_open."""
    with transaction.atomic():
        locked, done = lock_and_find_repeat(division.season, by, note, key)
        if done is not None:
            return done
        changed = SeasonAggregate(locked)
        _check_no_playoff(changed.state, division.number)
        _check_successor(locked)
        last = Round.objects.filter(division=division).order_by("-number").first()
        if last is None or last.number != number:
            sentence = _(
                "Only the last round can be undone, and round {number} is not the last one. Load the season again."
            )
            raise DomainError(409, "not_last_round", sentence.format(number=number), "round")
        if round_id is not None and last.pk != round_id:
            sentence = _("Round {number} has been undone and paired again since you opened the page. Check it again.")
            raise DomainError(409, "stale_round", sentence.format(number=number), "round", version=last.pk)
        if last.matches.filter(imported__isnull=False).exists():
            sentence = _("Round {number} was imported from a file and cannot be undone.").format(number=number)
            raise DomainError(409, "imported_result", sentence, "round")
        payload = notes.audit_payload(locked, by, note)
        for game in MatchGame.objects.filter(match__round=last, game__status=Game.Status.PLAYING).select_related(
            "game"
        ):
            end_game(game)
        scheduling.lapse_proposals(Match.objects.filter(round=last))
        changed.record(RoundUndone(division.number, number, payload))
        changed.describe_row(Division, division.number, waited_at=None)
        finish_divisions.finish_again(changed, [division.number])
        made = changed.commit_action(key)
        for match in last.matches.all():
            notify_match_players(match, made, round_undone(number, str(locked)), note)
    return made


def pair_again(*, division: Division, by: Actor, note: str, key: str = "") -> OrganiserAction:
    """Let a division continue after its last round was undone. Raises `DomainError` as `undo_round` does, and 409
    not_on_hold."""
    with transaction.atomic():
        locked, done = lock_and_find_repeat(division.season, by, note, key)
        if done is not None:
            return done
        changed = SeasonAggregate(locked)
        if not changed.state.division(division.number).on_hold:
            sentence = _("{division} is not waiting to be paired again.").format(division=division)
            raise DomainError(409, "not_on_hold", sentence)
        changed.record(PairingReleased(division.number, notes.audit_payload(locked, by, note)))
        changed.describe_row(Division, division.number, waited_at=None)
        return changed.commit_action(key)


def _rule_on_match(
    match: Match,
    decide: Callable[[RulingContext], None],
    game: int | None,
    *,
    by: Actor,
    note: str,
    key: str,
    version: int | None,
) -> OrganiserAction:
    """Make any ruling on a match: check, call `decide`, and do everything that follows from its events."""
    with transaction.atomic():
        locked, done = lock_and_find_repeat(match.round.division.season, by, note, key)
        if done is not None:
            return done
        changed = SeasonAggregate(locked)
        match_state = _match_state(changed.state, match, version)
        case = RulingContext(changed, match_state, match, notes.audit_payload(locked, by, note))
        _check_no_playoff(changed.state, match_state.division)
        _check_next_round(case)
        decide(case)
        if changed.state.late(match.pk):
            finish_divisions.finish_again(changed, [match_state.division])
        scheduling.lapse_proposals(Match.objects.filter(pk=match.pk))
        disputes.uphold_disputes(changed, match, case.payload)
        made = changed.commit_action(key)
        notify_match_players(match, made, _notification_sentence(made, match, game), note)
    return made


def lock_and_find_repeat(season: Season, by: Actor, note: str, key: str) -> tuple[Season, OrganiserAction | None]:
    """Return the locked season, and the ruling made with this key before, if any. Raises `DomainError` not_organiser
    (403), note_needed, bad_note (400), season_over (409)."""
    locked = lock_season(season)
    check_organiser(by, locked.league.club)
    done = OrganiserAction.objects.filter(stream=locked.stream_id, key=key).first() if key else None
    if done is None:
        notes.check_note(note)
        if locked.status not in (*GOING_ON, FINISHED_STATUS):
            sentence = _("{season} is not being played, so nothing can be decided.")
            if locked.status == Season.Status.ABANDONED:
                sentence = _(
                    "{season} was abandoned: its standings stay as they are, and no result can be decided any more."
                )
            raise DomainError(409, "season_over", sentence.format(season=locked))
    return locked, done


def check_organiser(by: Actor, club: Club) -> None:
    """Raise `DomainError` not_organiser (403) unless `by` organises the club."""
    if not may_organise(by, club):
        sentence = _("Only the organisers of {club} can decide about its results.").format(club=club)
        raise DomainError(403, "not_organiser", sentence)


def _match_state(folded: SeasonFold, match: Match, version: int | None) -> MatchState:
    """Return the match's state. Raises `DomainError` 409: round_undone, imported_result, stale_match."""
    match_state = folded.match(match.pk)
    if match_state is None:
        raise DomainError(409, "round_undone", _("The round of this match was undone, so it does not count."))
    if match_state.imported:
        sentence = _("This result was imported from a file, without its games. Correct the file and import it again.")
        raise DomainError(409, "imported_result", sentence)
    if version is not None and version != match_state.version:
        sentence = _("This match has changed since you opened the page. Check it again, then decide.")
        raise DomainError(409, "stale_match", sentence, version=match_state.version)
    return match_state


def _check_no_playoff(folded: SeasonFold, division: int) -> None:
    """Raise `DomainError` playoff_opened (409) if a play-off uses the division's places already."""
    if folded.division(division).above is None and any(
        division.above is not None for division in folded.divisions.values()
    ):
        sentence = _("The play-off has begun, so earlier results cannot be changed.")
        raise DomainError(409, "playoff_opened", sentence)


def _check_successor(season: Season) -> None:
    """Raise `DomainError` successor_open (409) if the season is finished and the next one is open."""
    if season.status == FINISHED_STATUS and season.successor_id:
        sentence = _("The next season is already open, so no games can be played here. Adjudicate the result instead.")
        raise DomainError(409, "successor_open", sentence)


def _check_next_round(case: RulingContext) -> None:
    """Raise `DomainError` next_round_paired (409) if a bracket's later round was paired from this result."""
    rounds = case.changed.state.division(case.state.division).rounds
    later = [match.slot for past in rounds[case.state.round :] for match in past.matches]
    if case.state.slot.startswith(GROUP_SLOT_PREFIX):  # a group decides nothing before it is over
        later = [slot for slot in later if not slot.startswith(GROUP_SLOT_PREFIX)]
    if case.season.competition.eliminates and later:
        sentence = _(
            "Round {number} was paired using this result. First undo the later rounds, starting with the last."
        )
        raise DomainError(409, "next_round_paired", sentence.format(number=case.state.round + 1))


def _check_may_play(case: RulingContext) -> None:
    """Check that a game can be played. Raises `DomainError` 409: successor_open, entrant_gone."""
    _check_successor(case.season)
    gone = Entrant.objects.filter(matches__match=case.row, status=Entrant.Status.WITHDRAWN).first()
    if gone is not None:
        sentence = _("{name} has withdrawn and cannot play. Adjudicate the result instead.").format(name=gone)
        raise DomainError(409, "entrant_gone", sentence)


def _current_games(case: RulingContext) -> list[MatchGame]:
    """Return the match's latest game of each number."""
    rows = MatchGame.objects.filter(match=case.row, game__in=case.state.games.values()).select_related("game", "match")
    return list(rows.order_by("number"))


def _open_waiting_match(case: RulingContext) -> None:
    """Open the games of a match that waits for its time, so that there is something to decide; the caller ends them.
    Hidden line-ups become known."""
    begins = games_begin_at(case.season, case.row.begins_at or clock.now())
    if case.season.competition.by_teams:
        if case.state.awaits_lineups:
            lineups.reveal(case.changed, case.state)
        open_games.open_team_games(case.changed, case.row.pk, begins)
    else:
        open_games.open_match_games(case.changed, [case.row], begins)
    case.changed.write_rows()


def _find_game(case: RulingContext, number: int) -> MatchGame:
    """Return the game with this number. Raises `DomainError` no_such_game (404)."""
    found = next((game for game in _current_games(case) if game.number == number), None)
    if found is None:
        sentence = _("Game {number} of this match has not been opened.").format(number=number)
        raise DomainError(404, "no_such_game", sentence, "game")
    return found


def _check_placings(case: RulingContext, places: Sequence[int]) -> list[int]:
    """Return the places as games count them (1, 1, 3). Raises `DomainError` bad_places (400)."""
    if len(places) != case.entrants or not all(1 <= place <= case.entrants for place in places):
        sentence = _("Give each of the {count} entrants a place from 1 to {count}. Tied entrants share a place.")
        raise DomainError(400, "bad_places", sentence.format(count=case.entrants), "places")
    return [1 + sum(other < place for other in places) for place in places]


def _check_scores(case: RulingContext, scores: Sequence[int] | None) -> list[int]:
    """Return the scores; zeros if none are needed. Raises `DomainError` bad_scores (400) if they are missing or
    invalid."""
    if scores is None and not case.changed.state.points().by_score:
        return [0] * case.entrants
    if scores is None or len(scores) != case.entrants or not all(abs(score) <= MAX_SCORE for score in scores):
        sentence = _("Give each of the {count} entrants a score, a whole number.").format(count=case.entrants)
        raise DomainError(400, "bad_scores", sentence, "scores")
    return list(scores)


def _adjudicate(
    case: RulingContext, one: MatchGame, placings: Sequence[int], scores: Sequence[int], *, played: bool = True
) -> SeasonEvent:
    """End a game if it is running, and return the event of its ruling. A built-in bot that filled a seat is placed
    last."""
    end_game(one)
    seats = seats_of_game(case.state.entrants, one.number, one.game.seats.count())
    decided = dict(zip(case.state.entrants, zip(scores, placings, strict=True), strict=True))
    by_seat = [decided.get(entrant, (0, case.entrants + 1)) for entrant in seats]
    result = {"scores": [score for score, _place in by_seat], "placings": [place for _score, place in by_seat]}
    played = played and one.game.status == Game.Status.FINISHED
    ruling = {
        "game": one.game_id,
        "termination": "adjudicated",
        "seats": list(seats),
        **result,
        "left": [],
        "absent": [],
        "adjudicated": True,
        "unrated": not played,
        **case.payload,
    }
    return GameAdjudicated(case.state.id, one.number, ruling)


def end_game(one: MatchGame) -> None:
    """Abort a running game."""
    if one.game.status == Game.Status.PLAYING:
        with Expected("game_over"):  # it has ended just now
            play.change_game(one.game, lambda _unit: [aborted()])
        one.game.refresh_from_db()


def _notification_sentence(made: OrganiserAction, match: Match, game: int | None) -> Sentence:
    """Return the sentence for the players' notification, without the reason."""
    sentences = {
        GameAdjudicated.type: result_adjudicated,
        GameAnnulled.type: result_annulled,
        GameOrdered.type: replay_ordered,
    }
    return sentences[made.what](game, match.round.number, str(match.round.division.season))
