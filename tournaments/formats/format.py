"""What a format is: one class that says its words, what it needs of a season, who meets whom and who stands where.

A new format is a subclass with an instance in `tournaments.formats._OURS`. A package of somebody else offers one by
an entry point of the group `scorebook.formats`. Settings, form, API, pages and documents follow from the class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, ClassVar

from scorebook_games.contract import Dealer, Option
from scorebook_games.presentation.coded_text import Sentence
from scorebook_games.presentation.text import gettext as _
from scorebook_games.registry import NotInstalled
from tournaments.core.registry import missing_label, not_installed
from tournaments.core.results import RoundResult
from tournaments.formats.base import Finished, FormatOptions, Pairings, Place, Wait, filled_tables, no_full_table
from tournaments.formats.bracket import Column
from tournaments.formats.field import standings_by_points
from tournaments.formats.preset import Preset
from tournaments.formats.team_boards import BoardGame
from tournaments.scoring import explanations
from tournaments.scoring.standings import EntrantStanding
from tournaments.scoring.tie_breaks import DEFAULT_TIE_BREAKS


class Format(ABC):
    """A way to run a competition. Pure: no rows, no clock, and the caller supplies all chance.

    `key`: in settings and data, for ever. `label`: its name. `options`: its own settings, declared like the options of
    a kind; `option_labels`: their names and those of their values; `earlier_options`: values for seasons that are older
    than an option, where these are not its defaults. `places_by`: what decides the places, as a sentence; "" if points
    do. `presets`: seasons of this format that many clubs play.

    `continuous`: it pairs free entrants while rounds are still being played. `by_points`: points and tie-breaks order
    the entrants; `uses_tie_breaks`: they order some of them. `eliminates`: a result decides who goes on, and is final
    once the next round is paired; `by_stage`: the stage reached is all that places an entrant. `everybody_meets`:
    results of an early withdrawal would be unfair to those who have not met that entrant yet. `equal_byes`: all have
    the same number of byes, so that these need not be worth points. `by_challenge`: entrants challenge one another.
    `by_teams`: the entrants are teams, whose players play the games of a match at boards. `usual_tie_breaks`: those of
    a season that asks for none.
    `stand_ins`: an alternate can be paired in a single round, in the place of an absent entrant.
    """

    key: ClassVar[str]
    label: ClassVar[str]
    options: ClassVar[tuple[Option, ...]] = ()
    option_labels: ClassVar[Mapping[str, str]] = {}
    earlier_options: ClassVar[Mapping[str, Any]] = {}
    places_by: ClassVar[str] = ""
    presets: ClassVar[tuple[Preset, ...]] = ()
    continuous: ClassVar[bool] = False
    by_points: ClassVar[bool] = True
    uses_tie_breaks: ClassVar[bool] = True
    eliminates: ClassVar[bool] = False
    by_stage: ClassVar[bool] = False
    everybody_meets: ClassVar[bool] = False
    equal_byes: ClassVar[bool] = True
    by_challenge: ClassVar[bool] = False
    by_teams: ClassVar[bool] = False
    usual_tie_breaks: ClassVar[tuple[str, ...]] = DEFAULT_TIE_BREAKS
    stand_ins: ClassVar[bool] = False

    @abstractmethod
    def rounds(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> int | None:
        """Return how many rounds that many entrants play; None if this cannot be known."""

    def why_unplayable(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Return why so many entrants cannot play it, as a sentence that says what to do; None if they can. Every
        format needs enough entrants for one table."""
        return no_full_table(entrants, table_size)

    def usual_games(self, table_size: int, settings: Mapping[str, Any]) -> int:  # noqa: ARG002
        """Return the number of games of a match in a season that asks for none: one for each seat."""
        return table_size

    def why_no_match(self, games: int, table_size: int, settings: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Return why a match cannot have so many games or entrants, as a sentence; None if it can."""
        return None

    def preparation(self, settings: Mapping[str, Any]) -> timedelta:  # noqa: ARG002
        """Return the time that entrants need between the pairing of a round and its games."""
        return timedelta()

    def board_games(self, games: int, settings: Mapping[str, Any]) -> Sequence[BoardGame]:  # noqa: ARG002
        """Return the games of a match of teams, with who of each team plays them; () if the entrants are no teams."""
        return ()

    @abstractmethod
    def next(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Pairings | Wait | Finished:
        """Return what comes after `history`, which holds all rounds so far in order. The same input gives the same
        answer.

        `entrants` are all who ever entered, in order of entry; those who are `away` are not paired. It never raises for
        a history of its own pairings, whatever withdrawals or late entries there were.
        """

    def places(
        self,
        entrants: Sequence[int],
        history: Sequence[RoundResult],
        options: FormatOptions,
        chance: Dealer,  # noqa: ARG002
    ) -> Mapping[int, Place]:
        """Return where everybody stands after the closed rounds of `history`: by points, unless the format says
        otherwise. At the end these are the places of `Finished`."""
        return {row.entrant: Place(row.place) for row in standings_by_points(entrants, history, options)}

    def absence(self, table_size: int) -> str:  # noqa: ARG002
        """Return what follows if an entrant misses a round, as a sentence; "" if there are no rounds to miss."""
        return "" if self.continuous else _("You have no match in a round that you miss.")

    def counts_dummies(self, table_size: int) -> bool:  # noqa: ARG002
        """Return whether unplayed rounds count as matches against a dummy in tie-breaks (FIDE C.07, article 16): where
        each round is paired from the results before it. An arena or ladder has no rounds to miss."""
        return False

    def table_counts(self, entrants: int, table_size: int, settings: Mapping[str, Any], *, short: bool) -> list[int]:
        """Return the number of tables of each round, if everybody stays and plays and no match is drawn; [] if it
        cannot be known. There are enough entrants. `short`: tables may have fewer entrants than `table_size`."""
        return [filled_tables(entrants, table_size, short=short)] * (self.rounds(entrants, table_size, settings) or 0)

    def columns(
        self,
        entrants: Sequence[int],  # noqa: ARG002
        history: Sequence[RoundResult],  # noqa: ARG002
        options: FormatOptions,  # noqa: ARG002
        chance: Dealer,  # noqa: ARG002
    ) -> tuple[Column, ...]:
        """Return the columns of the bracket at any time, each section from its first round on; () without a bracket.
        Before the start it is the draw as it would be."""
        return ()

    def group_rows(
        self,
        entrants: Sequence[int],  # noqa: ARG002
        history: Sequence[RoundResult],  # noqa: ARG002
        options: FormatOptions,  # noqa: ARG002
        chance: Dealer,  # noqa: ARG002
    ) -> dict[int, EntrantStanding]:
        """Return entrant → row in the standings of the group; {} without groups."""
        return {}

    def why_placed(self, place: Place, stage: Sentence | None, *, won: bool) -> Sentence:
        """Return what decides a place where points do not, such as “Still in: Semi-final.” `stage`: the last one that
        the entrant has reached, and whether it is `won`."""
        if stage is None:
            return explanations.not_drawn()
        if place.still_in:
            return explanations.still_in(stage)
        return (explanations.won_stage if won and place.place == 1 else explanations.out_in_stage)(stage)

    def check_installed(self) -> None:  # noqa: B027 (a format that is there is installed)
        """Raise `NotInstalled` if the format's package is not installed."""


class MissingFormat(Format):
    """What stands for a format whose package is not installed: a label. Nothing is paired or placed by it."""

    by_points = False

    @staticmethod
    def of(key: str) -> Format:
        """Return what stands for the format with this key."""
        made: Format = type("MissingFormat", (MissingFormat,), {"key": key, "label": missing_label(key)})()
        return made

    def rounds(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Return None: nobody knows."""
        return

    def why_unplayable(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> str:  # noqa: ARG002
        """Return that it cannot be played at all."""
        return _("The package of this format is not installed here. Choose another format, or ask an admin.")

    def next(
        self,
        entrants: Sequence[int],  # noqa: ARG002
        history: Sequence[RoundResult],  # noqa: ARG002
        options: FormatOptions,  # noqa: ARG002
        chance: Dealer,  # noqa: ARG002
    ) -> Pairings | Wait | Finished:
        """Raise `NotInstalled`."""
        raise self._error()

    def places(
        self,
        entrants: Sequence[int],  # noqa: ARG002
        history: Sequence[RoundResult],  # noqa: ARG002
        options: FormatOptions,  # noqa: ARG002
        chance: Dealer,  # noqa: ARG002
    ) -> Mapping[int, Place]:
        """Raise `NotInstalled`."""
        raise self._error()

    def check_installed(self) -> None:
        """Raise `NotInstalled`."""
        raise self._error()

    def _error(self) -> NotInstalled:
        return not_installed("format", self.key)
