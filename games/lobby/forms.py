"""The form for a new table. The options of a game and their help come from the kind's own schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common.errors import DomainError
from games.common.labels import labels_of_kind
from games.common.option_fields import (
    check_option,
    field_for,
    initial_text,
    known_or_default,
    parse_ids,
    plain_values,
)
from games.lobby.models import OpenTable
from games.lobby.rows import PACE_LABELS
from games.lobby.services import is_guest
from games.lobby.table_request import BOT_DESCRIPTIONS, CLOCK_CHOICES, TableRequest
from games.models import Player
from games.play.roster import builtin_bots_for
from scorebook_games.contract import Option
from scorebook_games.gamelog.pacing import paces_of
from scorebook_games.registry import KINDS, first_kind

DEFAULT_BOT: Final = "sensible"
MAX_PEOPLE_FOUND: Final = 12  # people whom a search shows
REST_STAYS_FREE: Final = ""
AGAINST_BOT, AGAINST_ANYBODY, AGAINST_LINK, AGAINST_PERSON = "bot", "listed", "link", "person"
OPPONENT_CHOICES: Final = (
    (AGAINST_BOT, gettext_lazy("Built-in bots: the game begins immediately")),
    (AGAINST_ANYBODY, gettext_lazy("Anyone: the table is listed in the lobby")),
    (AGAINST_LINK, gettext_lazy("Anyone with my link, with or without an account")),
    (AGAINST_PERSON, gettext_lazy("People I challenge by name")),
)
SEAT_ORDER_CHOICES: Final = (
    (OpenTable.Order.LOT.value, gettext_lazy("at random, when the game begins")),
    (OpenTable.Order.CHAIRS.value, gettext_lazy("in the order of joining: I take the first seat")),
)
ACCESS_BY_OPPONENT: Final = {AGAINST_ANYBODY: OpenTable.Access.LISTED, AGAINST_LINK: OpenTable.Access.LINK}


class PlayForm(forms.Form):
    """The form of a `TableRequest`. A field that is not sent has its default."""

    kind = forms.ChoiceField(label=gettext_lazy("Game"))
    seats = forms.TypedChoiceField(label=gettext_lazy("Players"), coerce=int)
    against = forms.ChoiceField(label=gettext_lazy("Against"), widget=forms.RadioSelect, initial=AGAINST_ANYBODY)
    bot = forms.ChoiceField(label=gettext_lazy("Built-in bot"), widget=forms.RadioSelect)
    rest = forms.ChoiceField(
        label=gettext_lazy("Remaining seats"),
        required=False,
        help_text=gettext_lazy("Who fills the seats nobody was invited to."),
    )
    clock = forms.ChoiceField(
        label=gettext_lazy("Clock"),
        choices=[(name, label) for name, (label, _terms) in CLOCK_CHOICES.items()],
        help_text=gettext_lazy(
            "A player whose clock runs out forfeits. Clocks run only for people, during their turn."
        ),
    )
    pace = forms.ChoiceField(label=gettext_lazy("Move order"))
    order = forms.ChoiceField(label=gettext_lazy("Seats"), choices=SEAT_ORDER_CHOICES)
    hours = forms.IntegerField(
        label=gettext_lazy("Keep the table open, hours"),
        required=False,
        min_value=1,
        max_value=168,
        help_text=gettext_lazy("From 1 to 168. Default: 2, or 72 for a correspondence game."),
    )
    players = forms.TypedMultipleChoiceField(coerce=int, required=False)
    q = forms.CharField(label=gettext_lazy("Search players by name"), required=False, max_length=40)

    def __init__(self, player: Player | None, data: Mapping[str, Any] | None = None, kind: str = "") -> None:
        self.player = player
        sent = plain_values(data) if data is not None else None
        self.chosen_kind = known_or_default((sent or {}).get("kind"), KINDS, kind or first_kind())
        spec = KINDS[self.chosen_kind].spec
        sizes = [str(n) for n in range(spec.seats_min, spec.seats_max + 1)]
        self.size = int(known_or_default((sent or {}).get("seats"), sizes, sizes[0]))
        usual = self._usual(sizes)
        super().__init__(data={**usual, **sent} if sent is not None else None, initial=usual)
        if self.is_bound and self.data["seats"] not in sizes:  # such as those of another kind
            self.data = {**self.data, "seats": sizes[0]}
        self._choices(sizes)
        resolved = KINDS[self.chosen_kind].resolve(self.size, {})
        for option in self.options():
            self.fields[self.option_name(option.name)] = field_for(
                option, resolved[option.name], labels_of_kind(self.chosen_kind)
            )

    def _usual(self, sizes: Sequence[str]) -> dict[str, Any]:
        return {
            "kind": self.chosen_kind,
            "seats": sizes[0],
            "against": AGAINST_ANYBODY,
            "bot": DEFAULT_BOT,
            "rest": REST_STAYS_FREE,
            "clock": "days",
            "pace": paces_of(KINDS[self.chosen_kind].rules)[0],
            "order": OpenTable.Order.LOT.value,
            **{self.option_name(option.name): initial_text(option) for option in self.options()},
        }

    def _choices(self, sizes: Sequence[str]) -> None:
        bots = [
            (name, f"{name.capitalize()}: {BOT_DESCRIPTIONS.get(name, '')}")
            for name in builtin_bots_for(self.chosen_kind)
        ]
        rest = [(name, _("{bot}, a built-in bot").format(bot=name.capitalize())) for name, _label in bots]
        paces = paces_of(KINDS[self.chosen_kind].rules)
        self._choose("kind", [(kind, rules.spec.title) for kind, rules in KINDS.items()])
        guest = self.player is None or is_guest(self.player)
        self._choose("against", [choice for choice in OPPONENT_CHOICES if not (guest and choice[0] == AGAINST_PERSON)])
        self._choose("seats", [(size, size) for size in sizes])
        self._choose("bot", bots)
        self._choose("rest", [(REST_STAYS_FREE, _("wait for people")), *rest])
        self._choose("pace", [(pace, PACE_LABELS[pace]) for pace in paces])
        if self.is_bound and self.data["pace"] not in paces:
            self.data = {**self.data, "pace": paces[0]}
        chosen = self.data.get("players", []) if self.is_bound else []
        self.chosen = list(people_to_challenge(self.player).filter(pk__in=parse_ids(chosen)))
        players = self.fields["players"]
        assert isinstance(players, forms.TypedMultipleChoiceField)
        players.choices = [(player.pk, player.name) for player in self.chosen]
        players.error_messages["invalid_choice"] = _("There is no player with the id %(value)s to challenge.")

    def _choose(self, name: str, choices: Any) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def options(self) -> tuple[Option, ...]:
        """Return the options of the kind."""
        return KINDS[self.chosen_kind].spec.options

    def option_name(self, option: str) -> str:
        """Return the name of an option's field.

        It includes the kind, so that no value is carried over to another kind.
        """
        return f"option_{self.chosen_kind}_{option}"

    def option_fields(self) -> list[forms.BoundField]:
        """Return the options' fields for the page, in the order of the schema."""
        return [self[self.option_name(option.name)] for option in self.options()]

    def faulty(self) -> list[forms.BoundField]:
        """Return the fields that have an error, in the order of the page."""
        return [field for field in self if field.errors]

    def found(self) -> list[Player]:
        """Return the people that the search finds, without those already chosen. One query."""
        name = str(self.data.get("q", "")).replace("\0", "").strip()[:40]
        if not name:
            return []
        people = people_to_challenge(self.player).filter(name__icontains=name)
        return list(
            people.exclude(pk__in=[player.pk for player in self.chosen]).order_by("name", "pk")[:MAX_PEOPLE_FOUND]
        )

    def clean(self) -> dict[str, Any]:
        """Check each option by its schema, and that somebody is challenged."""
        cleaned = super().clean() or {}
        for option in self.options():
            check_option(self, self.option_name(option.name), option)
        if cleaned.get("against") == AGAINST_PERSON and not cleaned.get("players") and "players" not in self.errors:
            self.add_error("q", _("Search for the players you want to challenge, and select them."))
        return cleaned

    def wish(self) -> TableRequest:
        """Return the request of a valid form."""
        asked = self.cleaned_data
        options = {option.name: asked[self.option_name(option.name)] for option in self.options()}
        invited = self.chosen if asked["against"] == AGAINST_PERSON else []
        beside = max(0, asked["seats"] - 1 - len(invited))
        bots = [asked["bot"]] * beside if asked["against"] == AGAINST_BOT else []
        if asked["against"] == AGAINST_PERSON and asked["rest"]:
            bots = [asked["rest"]] * beside
        return TableRequest(
            kind=self.chosen_kind,
            seats=asked["seats"],
            options={name: value for name, value in options.items() if value is not None},
            terms={**CLOCK_CHOICES[asked["clock"]][1], "pace": asked["pace"]},
            access=ACCESS_BY_OPPONENT.get(asked["against"], OpenTable.Access.INVITED),
            order=asked["order"],
            bots=bots,
            invited=invited,
            hours=asked["hours"],
        )

    def refuse(self, error: DomainError) -> None:
        """Show an error at the field that it concerns, or above the form."""
        option = str(error.extra.get("option", ""))
        places = {"move_days": "clock", "bank_seconds": "clock", "move_seconds": "clock", "invited": "q"}
        name = places.get(option, option)
        for place in (name, self.option_name(name)):
            if place in self.fields:
                return self.add_error(place, error.sentence)
        return self.add_error(None, error.sentence)


def people_to_challenge(player: Player | None) -> Any:
    """Return the people with an account, except `player`."""
    people = Player.objects.filter(user__isnull=False, user__is_active=True).exclude(user__profile__guest=True)
    return people.exclude(pk=player.pk) if player else people
