"""What decisions of bots cost, by sort: rows are made with the ledger, say what it says, and are repaired by it."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from games.models import Bot, BotVersion, Game, Player
from replays.review import decision_costs, ledgers
from replays.review.models import MILLIONTHS, DecisionCost, LuckLedger
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.replays.conftest import open_game, play_on

pytestmark = pytest.mark.django_db


@pytest.fixture
def gannet(db: None) -> Player:
    version = BotVersion.objects.create(bot=Bot.objects.create(name="Gannet"), number=1, transport="upload")
    return Player.objects.create(name="Gannet", bot_version=version)


@pytest.fixture
def game(gannet: Player) -> Game:
    """Return a finished game of Gannet in seat 1 with its ledger."""
    played = play_on(open_game([ensure_builtin_bots()["sensible"], gannet]))
    ledgers.find_games()
    ledgers.compute_due()
    return played


def test_the_rows_of_a_seat_add_up_to_what_its_ledger_says_of_its_own_play(game: Game, gannet: Player) -> None:
    ledger = LuckLedger.objects.get(game=game)
    rows = DecisionCost.objects.filter(game=game)
    assert {(row.seat, row.player_id) for row in rows} == {(1, gannet.pk)}, "built-in bots have none"
    assert sum(row.gain for row in rows) == pytest.approx(ledger.own[1] * MILLIONTHS, abs=len(ledger.entries))
    assert sum(row.decisions for row in rows) == sum(
        sort == "decision" and seat == 1 for _, sort, seat, _ in ledger.entries
    )
    gains = {version: made[1] for version, sort, seat, made in ledger.entries if sort == "decision" and seat == 1}
    assert all(gains[row.worst_version] == row.worst_gain for row in rows)
    assert {row.sort for row in rows} <= {"lay", "capture", "flip", "cover"}


def test_a_game_of_before_gets_its_rows_by_the_command_and_wrong_ones_are_found(game: Game) -> None:
    before = list(DecisionCost.objects.order_by("sort").values_list("sort", "gain"))
    DecisionCost.objects.all().delete()
    with pytest.raises(SystemExit) as left:
        call_command("luck_ledgers", "--check", stdout=(told := StringIO()))
    assert (left.value.code, "has another costs of decisions" in told.getvalue()) == (1, True)
    call_command("luck_ledgers", stdout=StringIO())
    assert list(DecisionCost.objects.order_by("sort").values_list("sort", "gain")) == before


def test_the_costliest_sort_comes_first_with_its_moments(game: Game, gannet: Player) -> None:
    DecisionCost.objects.all().delete()
    for sort, gain, worst in (("lay", -200_000, -150_000), ("capture", -20_000, -20_000), ("flip", 50_000, 10_000)):
        DecisionCost.objects.create(
            game=game,
            seat=1,
            player=gannet,
            kind="chinese_ten",
            sort=sort,
            decisions=3,
            gain=gain,
            worst_gain=worst,
            worst_version=42,
        )
    account = decision_costs.account_of(gannet.pk, [game.pk])
    assert [(each.label, each.decisions, each.cost) for each in account.costs] == [
        ("Lay a card", 3, 0.2),
        ("Take with a card of the hand", 3, 0.02),
    ]
    [moment] = account.costs[0].moments
    assert (moment.game, moment.version, moment.cost) == (game.public_id, 41, 0.15)


def test_the_error_of_few_games_is_wide(game: Game) -> None:
    assert decision_costs.error_of_mean(1, 0.5, 0.25) == 1.0
    assert decision_costs.error_of_mean(2, 1.0, 1.0) > decision_costs.error_of_mean(50, 25.0, 25.0) > 0
