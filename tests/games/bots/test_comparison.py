"""What the deals of a comparison come to on the platform; the interval: `tests.scorebook_games.analysis`."""

from __future__ import annotations

import pytest

from games.bots import comparison
from games.bots.comparison import deal_values, result_of
from games.eventlog import store as eventlog
from games.models import Deal, Game, Trial
from games.play import services as play
from games.workers import runner
from scorebook_games.luck.ledger import ledger_of
from scorebook_games.registry import KINDS
from tests.roster import ensure_builtin_bots


def values_of(*games: Game) -> list[float]:
    """The raw results of the deals of a kind without a value function."""
    return [raw for raw, _ in deal_values(Trial(kind="none"), games).values()]


def test_the_second_game_of_a_deal_is_looked_at_from_the_other_seat() -> None:
    def game(part: str, *placings: int) -> Game:
        return Game(kind="none", part=part, status="finished", outcome={"placings": list(placings)})

    assert values_of(game("0000", 1, 2), game("0000", 2, 1)) == [1.0]
    assert values_of(game("0000", 1, 2), game("0000", 1, 2)) == [0.5]
    assert values_of(game("0000", 1, 1), game("0000", 1, 2), game("0001", 1, 2)) == [0.25]


@pytest.mark.django_db
def test_a_deal_counts_without_the_luck_of_its_two_games_which_is_computed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bots = [ensure_builtin_bots()[name] for name in ("sensible", "random")]
    deal = Deal.objects.create(seed=bytes(32))
    for players in (bots, bots[::-1]):
        play.open_game(kind="chinese_ten", players=players, deal=deal)
    runner.play_due_games("test")
    games = list(Game.objects.order_by("pk"))
    trial = Trial(kind="chinese_ten")
    for game in games:
        game.part = "0000"
    values = deal_values(trial, games)

    luck = []
    for seat, game in enumerate(games):
        events = [entry.event for entry in eventlog.read_events(game.stream_id)]
        luck.append(ledger_of(events, KINDS["chinese_ten"].value).luck[seat])
    raw, adjusted = values["0000"]
    assert raw - adjusted == pytest.approx(sum(luck) / 2)
    assert result_of(values).share == adjusted

    trial.result = {"values": values, "value_hash": KINDS["chinese_ten"].value.hash}  # type: ignore[union-attr]
    monkeypatch.setattr(comparison, "ledger_of", None)
    assert deal_values(trial, games) == values
    trial.result["value_hash"] = "another"
    with pytest.raises(TypeError):
        deal_values(trial, games)
