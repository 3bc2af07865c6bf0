"""Events of a ladder's challenges. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.event import Details, event
from tournaments.seasons.events.base import Audience, Line, References, SeasonEvent, Text, Words, quoted_note
from tournaments.seasons.fold import Refusal

if TYPE_CHECKING:
    from tournaments.seasons.fold import DivisionState, SeasonFold


@dataclass(frozen=True, slots=True)
class ChallengeEvent(SeasonEvent):
    """An event of a challenge of one entrant to another."""

    title: ClassVar[str]
    audience: ClassVar[tuple[Audience, ...]] = (Audience.CHALLENGER, Audience.CHALLENGED)
    division: int
    challenger: int
    challenged: int

    def describe(self, words: Words) -> Line | None:
        return Line(_(self.title), [*self._between(words), "."])

    def refers(self) -> References:
        return References(self.division, entrants=(self.challenger, self.challenged))

    def _between(self, words: Words) -> Text:
        return [words.player(self.challenger), " – ", words.player(self.challenged)]

    def _remove(self, season: SeasonFold) -> DivisionState:
        division_state, pair = season.division(self.division), (self.challenger, self.challenged)
        division_state.challenges = [challenge for challenge in division_state.challenges if challenge != pair]
        return division_state


@event
class EntrantChallenged(ChallengeEvent):
    """In a ladder, one entrant asks another for a match; `until` is when the challenge expires, in seconds since 1970,
    or null."""

    type: ClassVar = "entrant_challenged"
    title: ClassVar = gettext_noop("Challenge.")
    audience: ClassVar = (Audience.CHALLENGED,)
    until: int | None = None

    def apply(self, season: SeasonFold) -> None:
        division_state, pair = season.division(self.division), (self.challenger, self.challenged)
        division_state.challenges = [
            challenge for challenge in division_state.challenges if challenge[0] != self.challenger
        ] + [pair]
        division_state.until[pair] = self.until
        division_state.taken_up.discard(pair)


@event
class ChallengeLapsed(ChallengeEvent):
    """The challenge expired, or the places do not allow it any more."""

    type: ClassVar = "challenge_lapsed"
    title: ClassVar = gettext_noop("Challenge lapsed.")

    def apply(self, season: SeasonFold) -> None:
        self._remove(season)


@event
class ChallengeAccepted(ChallengeEvent):
    """The challenged entrant will play. A bot accepts at once."""

    type: ClassVar = "challenge_accepted"
    title: ClassVar = gettext_noop("Challenge accepted.")
    audience: ClassVar = (Audience.CHALLENGER,)

    def apply(self, season: SeasonFold) -> None:
        season.division(self.division).taken_up.add((self.challenger, self.challenged))


@event
class ChallengeRefused(ChallengeEvent):
    """How: `declined`, or `unanswered` until it expired; `at`: the time in seconds since 1970; `count`: the number of
    refusals that count, with this one; `place` and `to`: the lost place and the entrant who takes it, or null."""

    type: ClassVar = "challenge_refused"
    title: ClassVar = gettext_noop("Challenge declined.")
    details: Annotated[Details, "{how, at, count, place, to, note}"]

    def apply(self, season: SeasonFold) -> None:
        division_state = self._remove(season)
        cost = {name: self.details[name] for name in ("how", "at", "count", "place", "to")}
        season.changed_order(self.division)
        division_state.refusals.append(
            Refusal(self.challenger, self.challenged, rounds=len(division_state.rounds), **cost)
        )

    def describe(self, words: Words) -> Line | None:
        """Return: “Otto – Laura: Laura declined the challenge (decline number 2), losing place 4 to Otto”."""
        cost = self.details
        declined = _("declined the challenge") if cost["how"] == "declined" else _("did not answer in time")
        counts = _("decline number {count}").format(count=cost["count"])
        text = [*self._between(words), ": ", words.player(self.challenged), f" {declined} ({counts}), "]
        if cost["to"] is None:
            text.append(_("at no cost"))
        else:
            text += [_("losing place {place} to").format(place=cost["place"]), " ", words.player(cost["to"])]
        return Line(_(self.title), [*text, ".", *quoted_note(cost, words)])

    def refers(self) -> References:
        to = self.details["to"]
        taker = () if to is None else (to,)
        return References(self.division, entrants=(self.challenger, self.challenged, *taker))


@event
class ChallengeWithdrawn(ChallengeEvent):
    """The challenger takes it back."""

    type: ClassVar = "challenge_withdrawn"
    title: ClassVar = gettext_noop("Challenge withdrawn.")
    audience: ClassVar = (Audience.CHALLENGED,)

    def apply(self, season: SeasonFold) -> None:
        self._remove(season)
