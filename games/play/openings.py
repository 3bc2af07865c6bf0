"""Opens games: checks the request, deals, and stores the game with its first events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from games.common import clock
from games.common.bulk_insert import copy_new
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.models import Deal, Game, Player, Seat, Trial
from games.play import check_in, faults, seating
from games.play.unit_of_work import GameUnit, notify_people, row_of, sweep_at_go, wake_workers
from scorebook_games.chance import SeedDealer, commitment
from scorebook_games.contract import Event, OptionError, Rules
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import first_events, paces_of
from scorebook_games.gamelog.terms import LIVE, Terms, terms_of
from scorebook_games.registry import KINDS, UnknownKind, rules_for


class ContinuationSource(NamedTuple):
    """The moment of another game from which a new one continues, with its `events` up to then
    (`games.play.continuation`)."""

    game: Game
    version: int
    events: Sequence[Event]


class Opening(NamedTuple):
    """A game to be opened. The fields are the arguments of `open_game`. Games that share a deal get the same row.

    A game of a `trial` belongs to one `part` of it. It counts for nothing else, and only the trial has it played. If
    the club `audience_club_id` is private, only its people see the game (`games.visibility.audience`). `rules_version`
    is set for a season that began under earlier rules. A continuation has the version of its source.
    """

    kind: str
    players: Sequence[Player]
    options: Mapping[str, Any] | None = None
    terms: Mapping[str, Any] | None = None
    deal: Deal | None = None
    source: ContinuationSource | None = None
    begins: datetime | None = None
    trial: Trial | None = None
    part: str = ""
    audience_club_id: int | None = None
    rules_version: int | None = None

    def rules(self) -> Rules[Any]:
        """The rules of the game. Raises `UnknownKind`."""
        return rules_for(self.kind, self.source.game.rules_version if self.source else self.rules_version)


def open_game(
    *,
    kind: str,
    players: Sequence[Player],
    options: Mapping[str, Any] | None = None,
    terms: Mapping[str, Any] | None = None,
    deal: Deal | None = None,
    source: ContinuationSource | None = None,
    begins: datetime | None = None,
    trial: Trial | None = None,
    part: str = "",
    audience_club_id: int | None = None,
    rules_version: int | None = None,
) -> Game:
    """Open a game of `kind`, dealt, with the players in seats 0, 1, …, and return it.

    `options` are the kind's, `terms` those of `scorebook_games.gamelog.terms`; both are completed with defaults. `deal`
    shares the secret of another game that is still on. With a `source` the game begins where that game stood. A game
    with people that `begins` at a time waits for them to check in (`games.play.check_in`). `Opening` explains `trial`,
    `part`, `audience_club_id` and `rules_version`. Raises `DomainError` bad_option, and then nothing is stored.
    """
    return open_many(
        [Opening(kind, players, options, terms, deal, source, begins, trial, part, audience_club_id, rules_version)]
    )[0]


def open_many(openings: Sequence[Opening]) -> list[Game]:
    """Open several games in one transaction: all of them or, if one cannot be opened, none."""
    at = clock.now()
    checked = [_checked(opening) for opening in openings]
    with transaction.atomic():
        _lock_deals([opening.deal for opening in openings if opening.deal])
        deals = [opening.deal or Deal() for opening in openings]
        copy_new([deal for deal in deals if deal.pk is None])
        units = [
            _opened(opening, options, terms, deal, at)
            for opening, (options, terms), deal in zip(openings, checked, deals, strict=True)
        ]
        games = [unit.game for unit in units]
        streams = eventlog.begin_many([(unit.events, unit.times) for unit in units], subject=Stream.Subject.GAME, at=at)
        for game, stream in zip(games, streams, strict=True):
            game.stream_id = stream
        copy_new(games)
        copy_new(
            [
                Seat(game=game, seat=seat, player=player)
                for game, opening in zip(games, openings, strict=True)
                for seat, player in enumerate(opening.players)
            ]
        )
        eventlog.announce_many({game.pk: game.version for game in games})
        notify_people(units)
        sweep_at_go(units)
        wake_workers([game for game in games if game.trial_id is None])
    return games


def _checked(opening: Opening) -> tuple[dict[str, Any], Terms]:
    """Return the opening's complete options and terms. Raises `DomainError` bad_option, own_bot."""
    people = [player.user_id for player in opening.players if player.user_id]
    try:
        if len(set(people)) < len(people):
            raise OptionError("players", _("A person can have only one seat in a game."))
        rules = opening.rules()
        options = rules.resolve(len(opening.players), opening.options or {})
        terms = terms_of(opening.terms or {}, paces_of(rules))
        if terms.pace == LIVE and terms.rated and any(player.is_bot for player in opening.players):
            raise OptionError(
                "rated", _("A live game with a bot cannot be rated. Set pace to beats, or rated to false.")
            )
        faults.check_players(opening.players, terms.pace, on_trial=opening.trial is not None)
        seating.check_remote_bots(opening.players, terms.plain())
        if terms.rated:
            seating.check_own_bots(opening.players)
        if terms.rated and people and User.objects.filter(pk__in=people, profile__guest=True).exists():
            raise OptionError("rated", _("A game with a guest cannot be rated. Set rated to false, or sign up first."))
        return options, terms
    except OptionError as error:
        raise DomainError(400, error.code, error.sentence, option=error.option) from error
    except UnknownKind as error:
        raise DomainError(400, "bad_option", str(error), option="kind") from error


def _lock_deals(deals: Sequence[Deal]) -> None:
    """Lock given deals, so that they are not revealed while games are opened with them."""
    wanted = sorted({deal.pk for deal in deals if deal.pk})
    locked = Deal.objects.select_for_update().filter(pk__in=wanted).order_by("pk") if wanted else ()
    if any(deal.revealed_at for deal in locked):
        raise DomainError(
            400, "bad_option", _("This deal is already known. Open the game with a new deal."), option="deal"
        )


def _opened(opening: Opening, options: dict[str, Any], terms: Terms, deal: Deal, at: datetime) -> GameUnit:
    """Return the game's row, not saved yet, with its first events: how it is played, and the deal."""
    rules = opening.rules()
    game = Game(
        kind=opening.kind,
        rules_version=rules.spec.rules_version,
        options=options,
        terms=terms.plain(),
        deal=deal,
        opened_at=at,
        moved_at=at,
        continued_from=opening.source.game if opening.source else None,
        continued_at=opening.source.version if opening.source else None,
        sandboxed=any(player.bot_version.is_upload for player in opening.players if player.bot_version),
        trial=opening.trial,
        part=opening.part,
        audience_club_id=opening.audience_club_id,
    )
    opened: Event = [
        ev.OPENED,
        {
            "game": game.public_id,
            "kind": game.kind,
            "rules_version": game.rules_version,
            "rules_hash": KINDS[game.kind].rules_hash,
            "seats": len(opening.players),
            "players": [player.pk for player in opening.players],
            "options": options,
            "terms": game.terms,
            "commitment": commitment(bytes(game.salt), bytes(deal.seed)),
        },
    ]
    unit = GameUnit(game, Fold(opened), _programs_of(opening.players), [], [opened], [0])
    unit.users = {seat: player.user_id for seat, player in enumerate(opening.players) if player.user_id}
    people = len(unit.programs) < len(opening.players)
    unit.take(_first_events(opening, unit.fold, people, deal, at), at)
    for name, value in row_of(unit, at).items():
        setattr(game, name, value)
    return unit


def _first_events(opening: Opening, fold: Fold, people: bool, deal: Deal, at: datetime) -> Sequence[Event]:
    """Return what follows the opening at once."""
    if opening.source:
        return opening.source.events
    if opening.begins and people:
        return [check_in.appointed_event(at, opening.begins)]
    return first_events(fold, people, SeedDealer(bytes(deal.seed)))


def _programs_of(players: Sequence[Player]) -> dict[int, str]:
    versions = {seat: player.bot_version for seat, player in enumerate(players) if player.bot_version}
    return {seat: version.program for seat, version in versions.items() if not version.is_remote}
