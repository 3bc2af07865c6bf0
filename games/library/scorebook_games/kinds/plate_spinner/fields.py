"""What a seat sees of a game of Plate Spinner, field by field."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from scorebook_games.fields import OptionValues, Seat

Colour = Literal["red", "blue", "green", "yellow"]


class CatalogueMark(TypedDict):
    """Which catalogue of plates the game is played with."""

    version: Annotated[int, "Its version."]
    hash: Annotated[str, "Its SHA-256, in hex."]


class Needs(TypedDict):
    """A group of dice that a plate or rim wants."""

    kind: Annotated[Literal["slots", "same", "run", "sum"], "How the dice must go together (PS-4)."]
    slots: NotRequired[Annotated[list[str], "What each slot takes: `=5`, `>=4`, `<=3`, `odd`, `even`, `any`."]]
    dice: NotRequired[Annotated[int, "How many dice."]]
    total: NotRequired[Annotated[int, "What they add up to."]]


class Item(TypedDict):
    """What is printed on a plate or a rim."""

    id: Annotated[str, "Its name in moves: `P7`, `R3`, `A1`, `STAR`."]
    sort: Annotated[Literal["plate", "rim", "star", "starting"], "What it is."]
    colour: Annotated[Colour | None, "Its colour; null for starting plates, and the star until it is chosen."]
    points: Annotated[int, "Its points."]
    dice: Annotated[int, "The dice that come with it: player dice of a plate, a neutral die of a rim."]
    bomb: Annotated[bool, "Whether it breaks your other plates when it breaks."]
    needs: Annotated[list[Needs], "The groups of dice that it wants."]


class HeldPlate(Item):
    """A plate in front of a seat."""

    rim: Annotated[Item | None, "Its rim; null for none."]
    filled: Annotated[list[list[int | None]], "The dice in each group, the rim's last; in slots null for a free one."]
    free: Annotated[int, "How many dice it still wants."]


class SpinnerPlayer(TypedDict):
    """What lies in front of a seat."""

    dice: Annotated[str, "Its dice that lie on no plate, in ascending order: `1335`."]
    player_dice: Annotated[int, "How many player dice it has."]
    neutral_dice: Annotated[int, "How many neutral dice it has."]
    rolls: Annotated[int, "How often it has rolled in this round."]
    spinning: Annotated[bool, "Whether it still spins in this round."]
    meeple: Annotated[int | None, "The meeple that it grabbed; null for none."]
    plates: Annotated[list[HeldPlate], "Its plates, the starting plates first."]
    printed: Annotated[int, "The points printed on its plates and rims."]
    colours: Annotated[dict[Colour, int], "How many plates count for each colour."]
    score: Annotated[int, "Its points so far."]


class PlateSpinnerObservation(TypedDict):
    """What `PlateSpinner.observation` shows."""

    seat: Annotated[Seat | None, "Your seat; null for who only watches."]
    seats: Annotated[int, "How many play."]
    options: Annotated[OptionValues, "The options of the game."]
    catalogue: Annotated[CatalogueMark | None, "The catalogue of plates; null before the game is set up."]
    phase: Annotated[
        Literal["waiting", "spinning", "drafting", "attaching", "colouring", "over"],
        "`spinning`: all roll. `drafting`: one takes from the market. `attaching`: one puts a rim on a plate. "
        "`colouring`: one chooses the star plate's colour.",
    ]
    round: Annotated[int, "The number of the round, from 1."]
    last_round: Annotated[bool, "Whether this is the last round."]
    moves: Annotated[int, "How many moves have been made."]
    to_act: Annotated[list[Seat], "The seats that may move now."]
    turn: Annotated[Seat | None, "Who drafts; null while all spin."]
    meeples: Annotated[list[int], "The meeples that nobody has grabbed."]
    market: Annotated[list[Item], "What can be drafted."]
    order: Annotated[list[Seat], "Who drafts from now on, in this order."]
    picks: Annotated[int, "How many items the drafter still takes."]
    loose: Annotated[list[Item], "The drafter's rims that are on no plate yet."]
    plates_left: Annotated[int, "How many plates are left in their pack."]
    rims_left: Annotated[int, "How many rims are left in their pack."]
    neutral_left: Annotated[int, "How many neutral dice nobody has."]
    discard: Annotated[list[str], "What was put away, by id."]
    players: Annotated[list[SpinnerPlayer], "By seat, what lies in front of it."]
