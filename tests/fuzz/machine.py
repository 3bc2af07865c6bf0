"""A hypothesis state machine that plays whole games of any kind and does everything that people may do in them.

Hypothesis finds the shortest run that breaks something. After that, `GameMachine.latest` has the game.
"""

from __future__ import annotations

import random
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from scorebook_games.conformance.page import clauses_of
from scorebook_games.conformance.play import bundle, legal_texts, plain, refusal
from scorebook_games.conformance.promises import says_why
from scorebook_games.gamelog.terms import BEATS
from scorebook_games.registry import KINDS
from tests.fuzz import checks
from tests.fuzz.play import Play
from tests.fuzz.setups import Setup, setups

NUMBERS = st.integers(0, 2**16)


def machine_of(kinds: tuple[str, ...]) -> type[GameMachine]:
    """Return the machine that plays games of these kinds."""

    class OfKinds(GameMachine):
        @initialize(setup=setups(kinds))
        def open(self, setup: Setup) -> None:
            self.begin(setup)

    return OfKinds


class GameMachine(RuleBasedStateMachine):
    """One game. At the end it is played to its end at random, from where hypothesis stops."""

    latest: ClassVar[Play | None] = None
    games: ClassVar[int] = 0
    moves: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.play: Play | None = None
        self.kept: list[tuple[Any, str]] = []

    def begin(self, setup: Setup) -> None:
        """Open the game."""
        GameMachine.games += 1
        self.play = GameMachine.latest = Play(setup)
        checks.at_every_node(self.play)

    @property
    def game(self) -> Play:
        assert self.play is not None
        return self.play

    def going(self) -> bool:
        """Return whether the game is running."""
        return self.play is not None and not self.play.over

    def do(self, line: list[Any]) -> None:
        """Do what one line of a story says, and run the checks."""
        GameMachine.moves += 1
        self.game.do(line)
        checks.at_every_node(self.game)

    @precondition(going)
    @rule(seat=NUMBERS, move=NUMBERS)
    def act(self, seat: int, move: int) -> None:
        """Make one move of one seat, or one beat, chosen by hypothesis."""
        play = self.game
        seats = play.fold.to_act()
        mover = seats[seat % len(seats)]
        if play.setup.pace == BEATS:
            rng = random.Random(move)
            self.do(["beat", [[each, bundle(play.rules, play.state, each, rng)] for each in play.givers(rng)]])
        else:
            texts = legal_texts(play.rules, play.state, mover)
            self.do(["move", mover, texts[move % len(texts)]])

    @precondition(going)
    @rule(count=st.integers(1, 60), number=NUMBERS)
    def play_on(self, count: int, number: int) -> None:
        """Make many random moves."""
        rng = random.Random(number)
        for _ in range(count):
            if self.going():
                self.do(self.game.next_line(rng))

    @precondition(going)
    @rule(seat=st.integers(0, 60))
    def leave(self, seat: int) -> None:
        """Let a player leave, if the chosen seat exists and has not left."""
        if seat < self.game.setup.seats and seat not in self.game.fold.left:
            self.do(["left", seat])

    @precondition(going)
    @rule(doom=st.integers(0, 120))
    def abort(self, doom: int) -> None:
        """Abort the game, which happens rarely."""
        if doom == 1:
            self.do(["aborted"])

    @rule(seat=st.integers(0, 7), text=st.text(max_size=16))
    def write_nonsense(self, seat: int, text: str) -> None:
        """Check that any text is answered with a sentence and does not change the state."""
        play = self.game
        before = plain(play.state)
        error = refusal(play.rules, play.state, seat % play.setup.seats, text)
        if error is None:
            assert text in legal_texts(play.rules, play.state, seat % play.setup.seats)
        else:
            says_why(play.rules, text, error, clauses_of(KINDS[play.setup.kind].rules_page))
        assert plain(play.state) == before

    @rule(number=NUMBERS)
    def look_closely(self, number: int) -> None:
        """Check the present moment in every respect, and keep a copy of its state, which must not change later."""
        play = self.game
        checks.closely(play, random.Random(number))
        self.kept.append((play.state.copy(), plain(play.state)))

    def teardown(self) -> None:
        """Play the game to its end, and run the checks of the end."""
        if self.play is None:
            return
        rng = random.Random(self.play.setup.number)
        while self.going():
            self.do(self.play.next_line(rng))
        for state, then in self.kept:
            assert plain(state) == then, "a copy changes when the game goes on"
        checks.at_the_end(self.play, rng)
