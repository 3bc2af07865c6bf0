"""Events of one entrant: listed, joined, checked in, away, left, withdrawn. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from scorebook_games.contract import Event
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.event import Audit, Details, event
from tournaments.seasons.events.base import Audience, Line, References, SeasonEvent, Words, quoted_note
from tournaments.seasons.fold import EntrantState

if TYPE_CHECKING:
    from tournaments.seasons.fold import SeasonFold

LIST_LABELS = {
    "asked": gettext_noop("asked to enter."),
    "waiting": gettext_noop("is on the waiting list."),
    "alternate": gettext_noop("is an alternate, waiting for a place."),
}
LEAVE_LABELS = {
    "left": gettext_noop("cancelled the entry."),
    "declined": gettext_noop("was not admitted."),
    "not_checked_in": gettext_noop("did not check in and was left out."),
    "no_place": gettext_noop("did not get a place."),
    "not_accepted": gettext_noop("had not accepted the invitation."),
    "account": gettext_noop("deleted the account."),
    "admin": gettext_noop("was withdrawn by site admins"),
    "asked": gettext_noop("withdrew"),
    "organiser": gettext_noop("was withdrawn by an organiser"),
    "no_shows": gettext_noop("was withdrawn after not showing up"),
}
ORGANISER_CAUSES = ("declined", "organiser")  # the other causes are no action of an organiser


@dataclass(frozen=True, slots=True)
class EntrantEvent(SeasonEvent):
    """An event of one entrant, whose line begins with the player's name, after the event's title."""

    title: ClassVar = gettext_noop("Entry.")
    entrant: int

    def describe(self, words: Words) -> Line | None:
        text = [words.player(self.entrant), " ", self.text(), *quoted_note(self.details_of(), words)]
        return Line(_(self.title), text)

    def text(self) -> str:
        """Return what follows the entrant's name."""
        raise NotImplementedError

    def refers(self) -> References:
        return References(entrants=(self.entrant,))


@event
class EntrantListed(EntrantEvent):
    """A player is invited, asks to enter, or gets no place: `invited`, `asked`, `waiting` or `alternate`."""

    type: ClassVar = "entrant_listed"
    audience: ClassVar = (Audience.ORGANISERS, Audience.ENTRANT)
    player: int
    status: str

    def apply(self, season: SeasonFold) -> None:
        asked = EntrantState(self.entrant, self.player, self.status, joined_at=season.at)
        season.add_entrant(asked).status = self.status

    def describe(self, words: Words) -> Line | None:
        """An invitation is between the organisers and the player."""
        return None if self.status == "invited" else EntrantEvent.describe(self, words)

    def text(self) -> str:
        return _(LIST_LABELS[self.status])


@event
class EntrantJoined(SeasonEvent):
    """The entrant is in, from the next round on. `place_of`: who has withdrawn from this place, or null."""

    type: ClassVar = "entrant_joined"
    audience: ClassVar = (Audience.ENTRANT,)
    division: int
    entrant: int
    player: int
    place_of: Annotated[int | None, "the entrant whose place it was"] = None

    def stored(self) -> Event:
        """Return the event as the log has it: without the last field if it is nobody's place, as in older logs."""
        stored = SeasonEvent.stored(self)
        return stored[:-1] if self.place_of is None else stored

    def apply(self, season: SeasonFold) -> None:
        division_state = season.division(self.division)
        new = EntrantState(self.entrant, self.player, "in", joined_at=season.at)
        joined = season.add_entrant(new)
        joined.status, joined.division = "in", self.division
        if not joined.called:  # lots follow from the first round of each, so that it never changes
            joined.since = len(division_state.rounds) + 1
        joined.called = ()
        division_state.entrants[self.entrant] = self.player
        for past in division_state.rounds:
            if not any(self.entrant in match.entrants for match in past.matches):
                past.late.append(self.entrant)
        season.changed_order(self.division)

    def describe(self, words: Words) -> Line:
        if self.place_of is None:
            return Line(_("Joined."), [words.player(self.entrant), "."])
        return Line(
            _("Joined."), [words.player(self.entrant), _(" takes the place of "), words.player(self.place_of), "."]
        )

    def refers(self) -> References:
        return References(self.division, entrants=tuple(each for each in (self.entrant, self.place_of) if each))


@event
class AlternateCalled(SeasonEvent):
    """An alternate plays a round in the place of an entrant who misses it, and later ones only if called again."""

    type: ClassVar = "alternate_called"
    audience: ClassVar = (Audience.ENTRANT,)
    division: int
    round: int
    entrant: int
    place_of: Annotated[int, "the entrant who misses the round"]

    def apply(self, season: SeasonFold) -> None:
        called = season.changed_entrant(self.entrant)
        if not called.called:
            called.since = self.round
        called.status, called.division, called.called = "in", self.division, (*called.called, self.round)
        season.division(self.division).entrants[self.entrant] = called.player
        season.changed_order(self.division)

    def describe(self, words: Words) -> Line:
        plays = _(" plays round {number} in the place of ").format(number=self.round)
        return Line(_("Alternate."), [words.player(self.entrant), plays, words.player(self.place_of), "."])

    def refers(self) -> References:
        return References(self.division, entrants=(self.entrant, self.place_of))


@event
class EntrantAdmitted(EntrantEvent):
    """An organiser approves the entry. The next event says with which status, and of that the entrant is notified."""

    type: ClassVar = "entrant_admitted"
    action: ClassVar = gettext_noop("admitted an entrant")
    details: Audit

    def text(self) -> str:
        return _("was admitted by an organiser.")


@event
class EntrantCheckedIn(EntrantEvent):
    """The entrant confirms to be there at the start."""

    type: ClassVar = "entrant_checked_in"
    title: ClassVar = gettext_noop("Check-in.")

    def apply(self, season: SeasonFold) -> None:
        there = season.changed_entrant(self.entrant)
        there.checked_in, there.checked_in_at = True, season.at

    def text(self) -> str:
        return _("checked in.")


@event
class EntrantLeft(EntrantEvent):
    """The entrant leaves before playing, or leaves a list. Why: `left`, `declined`, `not_checked_in`, `no_place`,
    `not_accepted`, `account`, `admin`."""

    type: ClassVar = "entrant_left"
    action: ClassVar = gettext_noop("removed an entrant from the list")
    audience: ClassVar = (Audience.ENTRANT,)
    details: Annotated[Details, "{why, by, note}"]

    @classmethod
    def of(cls, entrant: int, why: str, audit: Audit) -> EntrantLeft:
        return cls(entrant, {"why": why, **audit})

    def apply(self, season: SeasonFold) -> None:
        gone = season.changed_entrant(self.entrant)
        gone.status = "out"
        season.division(gone.division).entrants.pop(self.entrant, None)

    def text(self) -> str:
        return _(LEAVE_LABELS[self.details["why"]])

    def by_organiser(self) -> bool:
        return self.details["by"] is not None and self.details["why"] in ORGANISER_CAUSES


@event
class EntrantAway(EntrantEvent):
    """All rounds that the entrant misses. They replace the earlier list. `details` only if an organiser set them."""

    type: ClassVar = "entrant_away"
    title: ClassVar = gettext_noop("Absence.")
    action: ClassVar = gettext_noop("set the absences of an entrant")
    audience: ClassVar = (Audience.ENTRANT,)
    rounds: list[int]
    details: Annotated[Details | None, "{by, note}"] = None

    @classmethod
    def of(cls, entrant: int, rounds: Iterable[int], audit: Details | None = None) -> EntrantAway:
        return cls(entrant, sorted(rounds), audit)

    def stored(self) -> Event:
        """Return the event as the log has it: without the last field if the entrant said it, as in older logs."""
        stored = SeasonEvent.stored(self)
        return stored[:-1] if self.details is None else stored

    def details_of(self) -> Details:
        return self.details or {}

    def apply(self, season: SeasonFold) -> None:
        entrant = season.changed_entrant(self.entrant)
        entrant.away = tuple(self.rounds)
        entrant.promised = tuple(number for number in entrant.promised if number not in self.rounds)

    def text(self) -> str:
        listed = ", ".join(map(str, self.rounds))
        if not listed:
            return _("will not be absent in any round.")
        return _("will be absent in round {rounds}.").format(rounds=listed)


@event
class EntrantAvailable(EntrantEvent):
    """All rounds in which the entrant has promised to play. They replace the earlier list. An entrant who has promised
    nothing is paired, too. `details` only if an organiser set them."""

    type: ClassVar = "entrant_available"
    title: ClassVar = gettext_noop("Availability.")
    action: ClassVar = gettext_noop("set when an entrant can play")
    rounds: list[int]
    details: Annotated[Details | None, "{by, note}"] = None

    @classmethod
    def of(cls, entrant: int, rounds: Iterable[int], audit: Details | None = None) -> EntrantAvailable:
        return cls(entrant, sorted(rounds), audit)

    def details_of(self) -> Details:
        return self.details or {}

    def apply(self, season: SeasonFold) -> None:
        season.changed_entrant(self.entrant).promised = tuple(self.rounds)

    def text(self) -> str:
        listed = ", ".join(map(str, self.rounds))
        if not listed:
            return _("has not said in which rounds to play.")
        return _("can play in round {rounds}.").format(rounds=listed)


@event
class EntrantWithdrawn(EntrantEvent):
    """The entrant plays no more, after `played` of `of` games; the settings say what happens to these. Why: `asked`,
    `organiser`, `no_shows`, `account`, `admin` (banned or taken down)."""

    type: ClassVar = "entrant_withdrawn"
    title: ClassVar = gettext_noop("Withdrawn.")
    action: ClassVar = gettext_noop("withdrew an entrant")
    audience: ClassVar = (Audience.ENTRANT, Audience.OPPONENTS, Audience.ORGANISERS)
    details: Annotated[Details, "{why, played, of, by, note}"]

    @classmethod
    def of(cls, entrant: int, why: str, played: int, of: int, audit: Audit) -> EntrantWithdrawn:
        return cls(entrant, {"why": why, "played": played, "of": of, **audit})

    def apply(self, season: SeasonFold) -> None:
        entrant, gone = season.changed_entrant(self.entrant), dict(self.details)
        entrant.status, entrant.gone = "withdrawn", gone
        season.changed_order(entrant.division)
        if season.settings["withdrawals"] == "void_below_half" and 2 * gone["played"] < gone["of"]:
            season.division(entrant.division).struck.add(self.entrant)

    def text(self) -> str:
        played, of = self.details["played"], self.details["of"]
        why = _(LEAVE_LABELS[self.details["why"]]).rstrip(".")
        if not of:
            return _("{why}; the results stand.").format(why=why)
        return _("{why}, after {played} of {of} games.").format(why=why, played=played, of=of)

    def by_organiser(self) -> bool:
        return self.details["by"] is not None and self.details["why"] in ORGANISER_CAUSES
