"""Setting up a season by the form: every choice can be made, an error stands beside its field, and the season then runs
by itself.

Niamh owns the club; Bram plays; the clock stands at `BEGIN`, two days before the first round.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.translation import trans_real

from devkit.paths import ROOT
from games.common import clock
from games.common.errors import DomainError
from games.common.option_fields import DURATION_TERMS
from games.eventlog import store as eventlog
from games.models import Bot, Game, Player
from scorebook_games.bots.builtin import BUILTIN_BOTS
from scorebook_games.contract import Option
from scorebook_games.gamelog.pacing import paces_of
from scorebook_games.gamelog.terms import LIVE, schema_for, terms_of
from scorebook_games.registry import KINDS
from tests.assertions.confirmation import confirm
from tests.assertions.page import Page
from tests.fixtures.bracketed_texts import translation
from tests.tournaments.club import BEGIN, new_club, play_all
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.lifecycle import services as seasons
from tournaments.lifecycle import setup
from tournaments.lifecycle.drafts import draft_of_preset
from tournaments.lifecycle.setup import SeasonPlan
from tournaments.scoring.points import default_points
from tournaments.season_pages.setup_form import SetupForm
from tournaments.seasons.models import Entrant, League, Round, Season
from tournaments.seasons.settings import LEAGUE_TERMS

pytestmark = pytest.mark.django_db
FIRST_ROUND = datetime(2026, 9, 9, 18, 30, tzinfo=UTC)  # 19:30 in Dublin
SHORT_OPTIONS = {"turn_limit": 3, "rounds": 1, "roll_limit": 10}  # so that games are short
Choice = tuple[str, str, Option, Any]


@pytest.fixture(autouse=True)
def now() -> Iterator[None]:
    with clock.frozen_at(BEGIN):
        yield


@pytest.fixture
def club(league: League) -> Club:
    return league.club


@pytest.fixture
def niamh(client: Client, club: Club) -> Client:
    """Return the browser of the club's owner."""
    client.force_login(club.owner)
    return client


def filled(kind: str = "chinese_ten", **changed: Any) -> dict[str, Any]:
    """Return the form as a browser sends it, with two built-in bots. `changed` replaces fields by name; None removes
    one."""
    usual = {
        "league": "chinese-ten",
        "name": "Autumn 2026",
        "kind": kind,
        "table_size": "2",
        "format": "round_robin",
        "games_a_match": "",
        "starts_on": "2026-09-09",
        "starts_time": "19:30",
        "apart": "1 day",
        "repeats": "no",
        "bot_sensible": "1",
        "bot_random": "1",
        "do": "start",
        "confirmed": "start_season",
    }
    return {name: value for name, value in {**usual, **changed}.items() if value is not None}


def send(browser: Client, data: dict[str, Any], **query: str) -> Any:
    return browser.post("/clubs/lantern/new-season/", data, query_params=query or None)


def errors(response: Any) -> dict[str, str]:
    """Return the errors beside each field, and check that nothing was written."""
    assert response.status_code == 422
    assert not Season.objects.exists()
    assert League.objects.count() == 1
    page = Page.of(response)
    assert page.faults() == []
    form: SetupForm = response.context["form"]
    found = {name: " ".join(map(str, sentences)) for name, sentences in form.errors.items()}
    assert all(sentence in page.text for sentence in found.values())
    return found


def choices_of(option: Option) -> list[Any]:
    """Return values that show whether the form reaches an option: each choice, both answers, both ends of a range."""
    if option.type == "bool":
        return [False, True]
    if option.name == "zone":  # some of hundreds
        return ["Asia/Kathmandu", "Europe/Berlin", "UTC"]
    return list(option.choices) if option.type == "choice" else [option.minimum, option.maximum]


OF_DAYS = ("vacation_days", "playing_from", "playing_to", "weekend_pause")  # terms for games by correspondence only


def every_option() -> list[Choice]:
    return [
        (kind, "option", option, value)
        for kind, rules in KINDS.items()
        for option in rules.spec.options
        for value in choices_of(option)
    ]


def every_term() -> list[Choice]:
    return [
        (kind, "term", term, value)
        for kind, rules in KINDS.items()
        for term in schema_for(paces_of(rules.rules))
        for value in choices_of(term)
        if term.name == "pace" or kind == "chinese_ten"
    ]


def typed(option: Option, value: Any) -> str:
    """Return a value as a person chooses or writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if option.name.endswith("_ms"):
        return f"{value / 1000:g} s"
    return f"{value} seconds" if option.name in DURATION_TERMS else str(value)


def asked(choice: Choice) -> dict[str, Any]:
    """Return the form in which this value is chosen, with the other values that it requires."""
    kind, group, option, value = choice
    form = SetupForm(Club.objects.get(), {"kind": kind})
    field = form.groups["options" if group == "option" else "terms"].field_name(option.name)
    changed = {field: typed(option, value)}
    if value == LIVE:
        changed["term_rated"] = "no"
    if option.name in OF_DAYS:
        changed["term_move_days"] = "3"
    if option.name == "check_in_minutes":
        changed["term_move_seconds"] = "30 seconds"
    return filled(kind, **changed)


def last_by_default(choices: list[Choice]) -> list[Any]:
    """Mark all values as slow, except the last one of each option or term."""
    last = {(kind, option.name): index for index, (kind, _, option, _) in enumerate(choices)}
    return [
        choice if index == last[choice[0], choice[2].name] else pytest.param(choice, marks=pytest.mark.slow)
        for index, choice in enumerate(choices)
    ]


every_choice = pytest.mark.parametrize(
    "choice",
    last_by_default([*every_option(), *every_term()]),
    ids=lambda choice: f"{choice[0]}-{choice[2].name}-{choice[3]}",
)


@every_choice
def test_every_value_of_every_option_and_term_is_in_the_plan_of_the_form(club: Club, choice: Choice) -> None:
    _kind, group, option, value = choice
    form = SetupForm(club, asked(choice))
    assert form.errors == {}
    plan = form.plan()
    assert (plan.options if group == "option" else plan.terms)[option.name] == value


# Terms of games by correspondence and by the clock, each with a value that is not its default.
BY_DAYS: dict[str, Any] = {
    "move_days": 3,
    "vacation_days": 60,
    "playing_from": 8,
    "playing_to": 22,
    "weekend_pause": True,
}
BY_DAYS |= {"zone": "Asia/Kathmandu", "leaver": "random", "may_abort": "early", "rematch": False, "rated": False}
BY_CLOCK: dict[str, Any] = {
    "move_seconds": 90,
    "bank_seconds": 300,
    "expiry": "random",
    "check_in_minutes": 20,
    "grace_minutes": 3,
}
BY_CLOCK |= {"no_show": "built_in_bot", "watch_delay": 60, "sealed": True, "bot_pace_ms": 7, "bot_move_ms": 700}
BY_CLOCK |= {"bot_bank_ms": 8000, "bot_cpu_ms": 9000, "bot_faults": 5, "bot_violations": 4}


@pytest.mark.some(1)
@pytest.mark.parametrize("terms", [BY_DAYS, BY_CLOCK, {"pace": LIVE, "rated": False}])
def test_the_games_have_every_term_that_was_chosen(niamh: Client, terms: dict[str, Any]) -> None:
    form = SetupForm(Club.objects.get(), {"kind": "chinese_ten"})
    group = form.groups["terms"]
    chosen = {
        group.field_name(each.name): typed(each, terms[each.name]) for each in group.options if each.name in terms
    }
    assert send(niamh, filled(**chosen)).status_code == 302
    season = Season.objects.get()
    with clock.frozen_at(FIRST_ROUND):
        director.advance()
    games = Game.objects.filter(match_game__match__round__division__season=season)
    assert games.count() == season.games_a_match
    for game in games:
        assert {name: game.terms[name] for name in terms} == terms


def test_of_every_term_another_value_comes_to_a_game() -> None:
    assert {term.name for term in schema_for(paces_of(KINDS["chinese_ten"].rules))} == {*BY_DAYS, *BY_CLOCK, "pace"}


@pytest.mark.slow
@every_choice
def test_every_value_of_every_option_and_term_is_reached_by_the_form_and_the_games_have_it(
    niamh: Client, choice: Choice
) -> None:
    _kind, group, option, value = choice
    assert send(niamh, asked(choice)).status_code == 302
    season = Season.objects.get()
    assert (season.options if group == "option" else season.terms)[option.name] == value
    with clock.frozen_at(FIRST_ROUND):
        director.advance()
    games = Game.objects.filter(match_game__match__round__division__season=season)
    assert games.count() == season.games_a_match
    for game in games:
        assert (game.options if group == "option" else game.terms)[option.name] == value


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_has_its_field_its_help_and_what_is_usual(niamh: Client, kind: str) -> None:
    page = Page.of(send(niamh, filled(kind, do="show")))
    assert page.faults() == []
    assert not Season.objects.exists()
    spec = KINDS[kind].spec
    fields_by_name = {attrs["name"]: attrs for tag, attrs in page.tags if tag in ("input", "select")}
    for option in (*spec.options, *schema_for(paces_of(KINDS[kind].rules))):
        assert option.help in page.text
    for option in spec.options:
        attrs = fields_by_name[f"option_{kind}_{option.name}"]
        assert attrs["aria-describedby"] == f"{attrs['id']}_helptext"
        if option.type == "int":
            usual = KINDS[kind].resolve(2, {})[option.name]
            if option.name.endswith("_ms"):
                assert "From 0 s to 5 s. Default: 0.7 s." in page.text
                continue
            limits = "At least 1." if option.name == "turn_limit" else f"From {option.minimum} to {option.maximum}."
            assert f"{limits} Default: {usual}." in page.text


def test_what_nobody_touches_has_its_usual_value(niamh: Client) -> None:
    """Palace for five takes three packs (PA-1) by default."""
    send(niamh, filled("palace", table_size="5", bot_sensible="4"))
    season = Season.objects.get()
    assert season.options == KINDS["palace"].resolve(5, {})
    assert season.options["packs"] == 3
    assert season.terms == terms_of({**LEAGUE_TERMS, "zone": season.league.club.zone}).plain()
    assert season.games_a_match == 5


def test_the_options_of_another_kind_come_when_it_is_chosen(niamh: Client) -> None:
    part = Page.of(send(niamh, filled("palace", option_chinese_ten_packs="1", do=None), part="options"))
    names = [attrs["name"] for tag, attrs in part.tags if tag in ("input", "select")]
    assert names == [f"option_palace_{option.name}" for option in KINDS["palace"].spec.options]
    typed_in = [attrs.get("value", "") for tag, attrs in part.tags if tag == "input"]
    assert set(typed_in) == {""}  # what was chosen for Chinese Ten is not carried on


@pytest.mark.parametrize(
    ("changed", "field", "sentence"),
    [
        ({"name": ""}, "name", "Give the season a name"),
        ({"name": "…"}, "name", "contain a letter or digit"),
        ({"name": "x" * 61}, "name", "1 to 60 characters"),
        ({"league": "", "new_league": ""}, "new_league", "A league's name must have 1 to 60 characters"),
        ({"league": "", "new_league": "Chinese Ten"}, "new_league", "already has a league Chinese Ten"),
        ({"league": "bridge"}, "league", "bridge is not one of the available choices"),
        ({"kind": "bridge"}, "kind", "bridge is not one of the available choices"),
        ({"option_chinese_ten_packs": "3"}, "option_chinese_ten_packs", "a whole number from 1 to 2."),
        ({"option_chinese_ten_packs": "many"}, "option_chinese_ten_packs", "a whole number from 1 to 2"),
        ({"table_size": "9"}, "table_size", "9 is not one of the available choices"),
        ({"kind": "plate_spinner", "table_size": "6"}, "table_size", "for 2 to 5 players"),
        ({"kind": "palace", "table_size": "6", "option_palace_packs": "1"}, "option_palace_packs", "Use more packs"),
        ({"kind": "palace", "option_palace_joker": "burn"}, "option_palace_joker", "not one of the available choices"),
        ({"term_move_seconds": "soon"}, "term_move_seconds", "Write a number and a unit"),
        ({"term_move_seconds": "90"}, "term_move_seconds", "Write a number and a unit"),
        ({"term_move_seconds": "90 days"}, "term_move_seconds", "a whole number from 1 to 5184000, not 7776000"),
        ({"term_bot_pace_ms": "-1"}, "term_bot_pace_ms", "Write a number of seconds"),
        ({"term_bot_pace_ms": "61 s"}, "term_bot_pace_ms", "must be from 0 s to 60 s."),
        ({"term_rated": "perhaps"}, "term_rated", "not one of the available choices"),
        ({"term_pace_chinese_ten": LIVE}, "q", "Bots cannot play rated live games"),
        ({"games_a_match": "0"}, "games_a_match", "1 to 64 games"),
        ({"starts_on": "2026-09-06"}, "starts_on", "would open in the past"),
        ({"starts_on": "2126-09-06"}, "starts_on", "more than five years"),
        ({"starts_on": "tomorrow"}, "starts_on", "Enter a valid date"),
        ({"starts_on": "2027-03-28", "starts_time": "01:30"}, "starts_time", "clocks go forward"),
        ({"apart": ""}, "apart", "Enter the interval"),
        ({"apart": "0 days"}, "apart", "A round must last 1 to"),
        ({"apart": "99 weeks"}, "apart", "A round must last 1 to"),
        ({"bot_sensible": "9"}, "bot_sensible", "not one of the available choices"),
        ({"players": ["4242"]}, "players", "no player with the id 4242"),
        ({"bot_sensible": "0"}, "q", "needs at least 2 entrants and has 1"),
    ],
)
def test_bad_input_is_told_beside_its_field(club: Club, changed: dict[str, Any], field: str, sentence: str) -> None:
    form = SetupForm(club, filled(**changed))
    if form.is_valid():  # the form cannot find some errors, and the service finds them
        with pytest.raises(DomainError) as refused:
            setup.set_up(club=club, user=club.owner, plan=form.plan(), start=True)
        form.refuse(refused.value)
    assert sentence in " ".join(map(str, form.errors[field]))


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"name": "", "table_size": "9", "option_chinese_ten_packs": "many", "term_rated": "perhaps"}, "name"),
        ({"starts_on": "tomorrow", "apart": "soon", "players": ["4242"], "bot_sensible": "9"}, "apart"),
        ({"league": "", "new_league": "Chinese Ten"}, "new_league"),
        ({"term_pace_chinese_ten": LIVE}, "q"),
    ],
)
def test_bad_input_is_shown_on_the_page_and_nothing_is_written(
    niamh: Client, changed: dict[str, Any], field: str
) -> None:
    assert field in errors(send(niamh, filled(**changed)))
    assert not Bot.objects.exists()


def test_what_was_typed_stays_where_something_is_wrong(niamh: Client) -> None:
    page = Page.of(send(niamh, filled(name="", apart="17 days", term_watch_delay="3 minutes")))
    values = {attrs["name"]: attrs.get("value") for tag, attrs in page.tags if tag == "input" and "name" in attrs}
    assert (values["apart"], values["term_watch_delay"]) == ("17 days", "3 minutes")
    wrong = [attrs["name"] for tag, attrs in page.tags if attrs.get("aria-invalid") == "true"]
    assert wrong == ["name"]


def test_a_refused_season_makes_no_league_and_no_bots(niamh: Client) -> None:
    """The new league is valid and the name of the season is not. Neither is written."""
    errors(send(niamh, filled(league="", new_league="Bridge League", name="…", bot_sensible="3")))
    assert not Bot.objects.exists()


def test_a_name_is_taken_once_a_league(niamh: Client) -> None:
    send(niamh, filled())
    again = send(niamh, filled())
    assert "already has a season Autumn 2026" in Page.of(again).text
    assert Season.objects.count() == 1


def test_a_new_league_is_made_with_its_first_season(niamh: Client) -> None:
    answer = send(niamh, filled("palace", league="", new_league="Palace Nights", do="save"))
    assert answer["Location"] == "/clubs/lantern/palace-nights/autumn-2026/"
    season = Season.objects.get(league__slug="palace-nights")
    assert (season.status, season.starts_at) == ("open", FIRST_ROUND)


@pytest.mark.slow
def test_the_suggested_name_is_in_the_readers_language(niamh: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trans_real, "translation", translation)
    form = niamh.get("/clubs/lantern/new-season/").context["form"]
    assert form["name"].value() == "⟦Autumn 2026⟧"


@pytest.mark.slow
def test_the_suggested_name_is_that_of_the_league_which_is_chosen(niamh: Client) -> None:
    """The first league has a season of this name, so the form suggests another; a new league has none."""
    send(niamh, filled())
    suggested = niamh.get("/clubs/lantern/new-season/").context["form"]["name"].value()
    assert suggested == "Autumn 2026, no. 2"
    send(niamh, filled(league="", new_league="Palace Nights", name=suggested))
    assert Season.objects.get(league__slug="palace-nights").name == "Autumn 2026"
    send(niamh, filled(name=suggested))
    assert Season.objects.filter(league__slug="chinese-ten", name=suggested).exists()


def test_built_in_bots_of_the_register_enter_as_often_as_is_said(niamh: Client) -> None:
    send(niamh, filled(bot_sensible="3", bot_random="2"))
    names = Entrant.objects.order_by("number").values_list("player__name", flat=True)
    assert sorted(names) == ["Random", "Random 2", "Sensible", "Sensible 2", "Sensible 3"]
    assert Season.objects.get().pool == "bots"


def test_the_form_offers_every_built_in_bot_that_plays_the_kind(niamh: Client) -> None:
    form = SetupForm(Club.objects.get(), {"kind": "palace"})
    assert [field.name for field in form.bot_fields()] == [
        f"bot_{n}" for n, bot in BUILTIN_BOTS.items() if "palace" in bot.kinds
    ]


def test_people_are_found_by_name_and_stay_chosen(niamh: Client, bots: list[Player]) -> None:
    bram = Player.objects.create(name="Bram", user=User.objects.create_user("bram"))
    abram = Player.objects.create(name="Abram", user=User.objects.create_user("abram"))
    for user in User.objects.filter(username__in=("bram", "abram")):
        Club.objects.get().memberships.create(user=user)
    page = Page.of(send(niamh, filled(q="bra", players=[str(abram.pk)], do="show")))
    boxes = {attrs["value"]: "checked" in attrs for _, attrs in page.tags if attrs.get("name") == "players"}
    assert boxes == {str(abram.pk): True, str(bram.pk): False}
    send(niamh, filled(q="bra", players=[str(abram.pk), str(bram.pk)], bot_random="0"))
    entered = Entrant.objects.values_list("player__name", flat=True)
    assert sorted(entered) == ["Abram", "Bram", "Sensible"]
    assert Season.objects.get().pool == "mixed"


def test_people_come_before_bots_in_what_is_found_and_nobody_is_found_by_nothing(
    niamh: Client, bots: list[Player]
) -> None:
    Player.objects.create(name="Wrenfield")
    form = SetupForm(Club.objects.get(), {"q": "wren"})
    assert [player.name for player in form.found()] == ["Wrenfield", "Wren"]
    assert SetupForm(Club.objects.get(), {"q": " "}).found() == []
    page = Page.of(send(niamh, filled(q="zz", do=None), part="people"))
    assert page.text == "No other player has this in their name."


@pytest.mark.slow
def test_the_preview_counts_what_the_season_then_has(niamh: Client) -> None:
    data = filled("plates", table_size="3", bot_sensible="4", bot_random="3", format="double_round_robin")
    page = Page.of(send(niamh, data | {"do": "show"}))
    assert not Season.objects.exists()
    made = SetupForm(Club.objects.get(), data).outlook()
    assert made is not None
    assert f"Rounds {made.rounds}" in page.text
    assert f"Matches {made.matches} {made.tables} per round, 1 bye" in page.text
    send(niamh, data | {"option_plates_rounds": "1", "option_plates_turn_limit": "2", "apart": "1 minute"})
    season = play_out(Season.objects.get())
    assert Round.objects.count() == made.rounds
    assert Game.objects.filter(match_game__match__round__division__season=season).count() == made.games
    each = Game.objects.filter(seats__player__name="Sensible").count()
    assert each in (made.games_each, made.games_each - season.games_a_match)


def test_the_preview_shows_when_each_round_opens_in_the_clubs_zone(niamh: Client) -> None:
    """Weekly from 14 October: the clocks go back on 25 October, and it stays 19:30 in Dublin."""
    data = filled(starts_on="2026-10-14", apart="1 week", bot_sensible="3", bot_random="0")
    page = Page.of(send(niamh, data | {"do": "show"}))
    assert "Wed 14 Oct, 19:30; Wed 21 Oct, 19:30; Wed 28 Oct, 19:30." in page.text
    opens = [attrs for _, attrs in page.tags if attrs.get("class") == "open"]
    assert len(opens) == 3 + 1  # and the one in the legend
    assert "October 2026" in page.text


def test_the_preview_waits_for_what_it_needs(niamh: Client) -> None:
    part = Page.of(send(niamh, filled(apart="soon", do=None), part="made"))
    assert "Then the calendar appears here" in part.text


def test_the_first_look_at_the_form_can_be_saved_as_it_is(niamh: Client) -> None:
    page = Page.of(niamh.get("/clubs/lantern/new-season/"))
    assert page.faults() == []
    form = SetupForm(Club.objects.get())
    data = {name: value for name, value in form.initial.items() if value != ""}
    assert send(niamh, data | {"do": "save"}).status_code == 302
    season = Season.objects.get()
    assert (season.status, season.kind, season.settings["calendar"]["seconds"]) == (
        "open",
        next(iter(KINDS)),
        7 * 86400,
    )
    assert season.starts_at == datetime(2026, 9, 8, 18, 0, tzinfo=UTC)  # tomorrow, 19:00 in Dublin


# presets


def test_a_season_takes_a_preset_a_name_and_a_date(niamh: Client) -> None:
    form = niamh.get("/clubs/lantern/new-season/?preset=cup").context["form"]
    data = {name: value for name, value in form.initial.items() if value != ""}
    assert send(niamh, data | {"name": "Winter Cup", "starts_on": "2026-09-20", "do": "save"}).status_code == 302
    season = Season.objects.get()
    assert (season.format, season.settings["format_options"]["third_place"]) == ("knockout", True)
    assert season.settings["calendar"]["match_time"] == "agreed"
    assert season.terms["move_seconds"] == 60


def test_a_weekly_cup_of_bots_is_played_on_one_day_and_says_that_it_repeats(niamh: Client, league: League) -> None:
    answer = niamh.get("/clubs/lantern/new-season/?preset=bot_cup")
    assert len({day.date() for day in answer.context["outlook"].opens}) == 1
    again = "another season each Sat 18:00, with all who stay"
    assert f"then each round follows the one before at once, {again}" in Page.of(answer).text
    draft = draft_of_preset("bot_cup", "chinese_ten", "UTC")
    draft.pop("bots")
    season = seasons.create_season(league=league, name="Cup", **draft)
    assert again in Page.of(niamh.get(f"/clubs/lantern/{league.slug}/{season.slug}/")).text


def test_each_folded_part_says_what_holds(niamh: Client) -> None:
    page = Page.of(niamh.get("/clubs/lantern/new-season/?preset=slow"))
    assert page.faults() == []
    assert "3 days per move, not on weekends (Europe/Dublin), plus 14 days of vacation a year" in page.text
    assert "Round robin, 2 games per match" in page.text
    assert "a round every 4 weeks" in page.text
    changed = Page.of(send(niamh, filled(do=None, entry_max_entrants="12"), part="made"))
    assert "people and bots, 12 places, 2 chosen so far" in changed.text
    late = Page.of(send(niamh, filled(do=None, entry_late_rounds="2"), part="made"))
    assert "Entrants: people and bots, late entry until round 2" in late.text
    assert "people and bots, entry at any time" in Page.of(niamh.get("/clubs/lantern/new-season/?preset=ladder")).text


def test_a_part_with_an_error_is_open(niamh: Client) -> None:
    """Several are open together, although the browser otherwise unfolds one at a time."""
    for wrong, opened in (({}, ["entrants"]), ({"games_a_match": "99"}, ["entrants", "format"])):
        page = Page.of(send(niamh, filled(entry_max_entrants="1", **wrong)))
        parts = [attrs for tag, attrs in page.tags if tag == "details" and "id" in attrs]
        assert [part["id"] for part in parts if "open" in part] == opened
        assert {part.get("name") for part in parts} == {"topic" if len(opened) == 1 else None}


def test_no_term_is_lost_among_the_folds(niamh: Client) -> None:
    form = niamh.get("/clubs/lantern/new-season/").context["form"]
    shown = [field.name for field in form.clock_fields()]
    shown += [field.name for _title, fold in form.term_folds() for field in fold.fields]
    assert sorted(shown) == sorted(form.groups["terms"].form_fields())
    assert not any(fold.open for _title, fold in form.term_folds())
    slow = niamh.get("/clubs/lantern/new-season/?preset=slow").context["form"]
    assert [fold.open for _title, fold in slow.term_folds()] == [True, False, False, False]


def test_a_former_season_is_offered_and_one_of_another_club_is_not(niamh: Client) -> None:
    send(niamh, filled(do="save", format="swiss"))
    season = Season.objects.get()
    page = Page.of(niamh.get("/clubs/lantern/new-season/"))
    assert "Like Chinese Ten League, Autumn 2026" in page.text
    form = niamh.get(f"/clubs/lantern/new-season/?like={season.pk}").context["form"]
    assert (form["format"].value(), len(form.chosen)) == ("swiss", 2)
    assert niamh.get(f"/clubs/lantern/new-season/?like={season.pk + 99}").status_code == 404
    assert niamh.get("/clubs/lantern/new-season/?preset=bridge").status_code == 404
    send(niamh, filled(do="save", name="Winter"))  # the latest one of each league is offered
    offered = Page.of(niamh.get("/clubs/lantern/new-season/")).text
    assert ("Like Chinese Ten League, Winter" in offered, "Autumn 2026" in offered.partition("Preview")[0]) == (
        True,
        False,
    )


# seasons that play themselves


def play_out(season: Season) -> Season:
    """Let the director run until the season is finished, a simulated minute a step."""
    moment = season.starts_at
    for turn in range(300):
        with clock.frozen_at(moment):
            director.advance()
            play_all(turn)
        season.refresh_from_db()
        if season.status == Season.Status.FINISHED and bool(season.successor) == season.repeats:
            return season
        moment += timedelta(seconds=60)
    raise AssertionError("The season does not end.")


def variants() -> list[tuple[str, dict[str, str]]]:
    """Return for each kind its default options, and then sets in which each option takes its values in turn."""
    made: list[tuple[str, dict[str, str]]] = []
    for kind, rules in KINDS.items():
        short = {
            name: str(SHORT_OPTIONS[name])
            for name in SHORT_OPTIONS
            if name in {each.name for each in rules.spec.options}
        }
        made.append((kind, short))
        turns = max(len(choices_of(option)) for option in rules.spec.options)
        for turn in range(turns):
            other = {
                option.name: typed(option, values[turn % len(values)])
                for option in rules.spec.options
                if option.name not in SHORT_OPTIONS and (values := choices_of(option))
            }
            made.append((kind, other | short))
    return made


def some_slow(made: list[tuple[str, dict[str, str]]]) -> list[Any]:
    """Mark all cases as slow, except the last one of each kind."""
    last = {kind: index for index, (kind, _) in enumerate(made)}
    return [
        each if index == last[each[0]] else pytest.param(*each, marks=pytest.mark.slow)
        for index, each in enumerate(made)
    ]


def check_options(options: dict[str, str]) -> None:
    for name, value in options.items():
        assert {typed_back(game.options[name], name) for game in Game.objects.all()} == {value}


def season_from_form(niamh: Client, kind: str, options: dict[str, str]) -> Season:
    chosen = {f"option_{kind}_{name}": value for name, value in options.items()}
    answer = send(niamh, filled(kind, apart="1 minute", bot_sensible="2", **chosen))
    assert answer.status_code == 302
    return Season.objects.get()


@pytest.mark.some(1)
@pytest.mark.parametrize(("kind", "options"), some_slow(variants()))
def test_the_games_have_the_options_of_the_form(niamh: Client, kind: str, options: dict[str, str]) -> None:
    season = season_from_form(niamh, kind, options)
    with clock.frozen_at(season.starts_at):
        director.advance()
    assert Game.objects.count() == 2
    check_options(options)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        each if each[0] == "plates" and number == 0 else pytest.param(*each, marks=pytest.mark.slow)
        for kind in KINDS
        for number, each in enumerate(made for made in variants() if made[0] == kind)
    ],
)
def test_a_season_from_the_form_plays_itself_to_its_end(niamh: Client, kind: str, options: dict[str, str]) -> None:
    play_out(season_from_form(niamh, kind, options))
    assert Round.objects.filter(status="closed").count() == 3
    games = Game.objects.all()
    assert games.count() == 6
    assert all(game.outcome for game in games)
    check_options(options)


def typed_back(value: Any, name: str = "") -> str:
    """Return a value as the field of this name holds it."""
    if name.endswith("_ms"):
        return f"{value / 1000:g} s"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@pytest.mark.slow
def test_a_season_that_repeats_is_followed_by_the_next(niamh: Client) -> None:
    send(niamh, filled(apart="1 minute", repeats="yes", option_chinese_ten_turn_limit="2"))
    season = play_out(Season.objects.get())
    assert season.successor is not None
    assert season.successor.options == season.options == {"packs": 2, "turn_limit": 2}


# an open season: entering, changing, starting, giving up

PAGE = "/clubs/lantern/chinese-ten/autumn-2026/"


@pytest.fixture
def opened(niamh: Client) -> Season:
    """Return a season that is open for entries and has one built-in bot."""
    send(niamh, filled(bot_random="0", term_watch_delay="90 seconds", do="save"))
    return Season.objects.get()


@pytest.fixture
def bram(club: Club) -> Client:
    """Return the browser of a player."""
    browser = Client()
    user = User.objects.create_user("bram")
    Player.objects.create(name="Bram", user=user)
    browser.force_login(user)
    return browser


def test_people_enter_an_open_season_on_its_page_and_the_organiser_starts_it(
    niamh: Client, bram: Client, opened: Season
) -> None:
    page = Page.of(bram.get(PAGE))
    assert "1 has entered; 1 more is needed to start" in page.text
    assert "Start season…" not in page.text
    assert bram.post(f"{PAGE}join/").status_code == 302
    assert "already" in Page.of(bram.post(f"{PAGE}join/", follow=True)).text
    assert "2 have entered" in Page.of(niamh.get(PAGE)).text
    confirm(niamh, f"{PAGE}start/")
    opened.refresh_from_db()
    assert (opened.status, opened.pool) == ("running", "mixed")
    with clock.frozen_at(FIRST_ROUND):
        director.advance()
    assert Game.objects.count() == 2


def test_an_account_that_does_not_play_is_told_so(niamh: Client, opened: Season) -> None:
    assert "Your account has no player." in Page.of(niamh.post(f"{PAGE}join/", follow=True)).text


def test_starting_asks_first_and_names_what_follows(niamh: Client, club: Club) -> None:
    asked = send(niamh, filled(confirmed=None))
    assert asked.status_code == 422
    text = Page.of(asked).text
    assert "Start Autumn 2026?" in text
    assert "Entries close with 2 entrants, and lots are drawn." in text
    assert "After that the settings cannot be changed, and who withdraws cannot come back." in text
    assert not Season.objects.exists()
    shown = send(niamh, filled(do="show"))  # as Cancel does: the form is as it was
    assert (shown.status_code, shown.context["form"].data["name"]) == (200, "Autumn 2026")
    send(niamh, filled(do="save"))
    asked = niamh.post(f"{PAGE}start/")
    assert (asked.status_code, Season.objects.get().status) == (422, "open")


def test_a_season_with_too_few_is_not_started_and_says_why(niamh: Client, opened: Season) -> None:
    assert "needs at least 2 entrants" in Page.of(confirm(niamh, f"{PAGE}start/", follow=True)).text
    opened.refresh_from_db()
    assert opened.status == "open"


def test_the_form_of_a_change_holds_the_season_as_it_is(niamh: Client, opened: Season) -> None:
    page = Page.of(niamh.get(f"{PAGE}change/"))
    assert page.faults() == []
    form = SetupForm(opened.league.club, None, opened)
    data = {name: value for name, value in form.initial.items() if value != ""}
    assert data["term_watch_delay"] == "1 minute 30 seconds"
    before = {field: getattr(opened, field) for field in setup_fields()}
    assert niamh.post(f"{PAGE}change/", data | {"do": "save"}).status_code == 302
    opened.refresh_from_db()
    assert {field: getattr(opened, field) for field in setup_fields()} == before


def setup_fields() -> list[str]:
    return ["name", "kind", "options", "terms", "format", "table_size", "games_a_match", "starts_at", "settings"]


def test_a_change_is_a_new_fact_in_the_seasons_stream(niamh: Client, opened: Season) -> None:
    data = filled("palace", name="Winter 2027", table_size="3", option_palace_joker="reverse", do="save")
    assert niamh.post(f"{PAGE}change/", data)["Location"] == "/clubs/lantern/chinese-ten/winter-2027/"
    opened.refresh_from_db()
    events = [entry.event for entry in eventlog.read_events(opened.stream_id)]
    assert [event[0] for event in events] == ["season_created", "entrant_joined", "season_changed", "entrant_joined"]
    assert events[0][1]["kind"] == "chinese_ten"
    assert "Winter" not in json.dumps(events)  # events hold ids and figures, no names
    assert events[2][1]["options"] == opened.options == KINDS["palace"].resolve(3, {"joker": "reverse"})
    assert opened.points == default_points(3, 3).plain()
    assert opened.divisions.get().name == "Winter 2027"
    assert "Changed." in Page.of(niamh.get("/clubs/lantern/chinese-ten/winter-2027/activity/")).text


def test_a_refused_change_changes_nothing(niamh: Client, opened: Season) -> None:
    before = eventlog.read_events(opened.stream_id)
    data = filled(name="Other", term_pace_chinese_ten=LIVE, do="save")
    page = Page.of(niamh.post(f"{PAGE}change/", data))
    assert "Bots cannot play rated live games" in page.text
    opened.refresh_from_db()
    assert opened.name == "Autumn 2026"
    assert eventlog.read_events(opened.stream_id) == before


def test_a_season_that_has_started_is_not_changed_any_more(niamh: Client, opened: Season) -> None:
    niamh.post(f"{PAGE}change/", filled(do="save"))
    confirm(niamh, f"{PAGE}start/")
    assert niamh.get(f"{PAGE}change/").status_code == 302
    niamh.post(f"{PAGE}change/", filled(name="Other", do="save"))
    assert Season.objects.get().name == "Autumn 2026"


def test_a_season_is_given_up_while_nothing_is_paired_and_its_stream_says_so(niamh: Client, opened: Season) -> None:
    assert "Cancel Chinese Ten League, Autumn 2026?" in Page.of(niamh.get(f"{PAGE}remove/")).text
    assert Season.objects.count() == 1
    confirm(niamh, f"{PAGE}remove/")
    assert not Season.objects.exists()
    assert not Entrant.objects.exists()
    assert eventlog.read_events(opened.stream_id)[-1].event == ["season_removed"]


def test_what_was_played_is_kept(niamh: Client) -> None:
    send(niamh, filled())
    with clock.frozen_at(FIRST_ROUND):
        director.advance()
    assert "cannot be deleted" in Page.of(confirm(niamh, f"{PAGE}remove/", follow=True)).text
    assert Season.objects.count() == 1


# permissions


@pytest.fixture
def someone(club: Club, role: str) -> Client:
    """Return the browser of a person with this role."""
    browser = Client()
    if role == "anonymous":
        return browser
    user = User.objects.create_user(role, is_staff=role == "staff")
    if role in ("organiser", "member"):
        club.memberships.create(user=user, role=role)
    if role == "elsewhere":
        new_club(name="Harbour", slug="harbour", owner=user)
    browser.force_login(club.owner if role == "owner" else user)
    return browser


MAY = {
    "anonymous": False,
    "stranger": False,
    "elsewhere": False,
    "member": False,
    "organiser": True,
    "owner": True,
    "staff": True,
}


@pytest.mark.parametrize(
    "role", [role if role in ("elsewhere", "organiser") else pytest.param(role, marks=pytest.mark.slow) for role in MAY]
)
def test_only_organisers_owners_and_staff_see_and_use_the_pages(role: str, someone: Client, club: Club) -> None:
    plan = SeasonPlan(league="chinese-ten", name="Autumn 2026", kind="chinese_ten", bots={"random": 2})
    season = setup.set_up(club=club, user=club.owner, plan=plan)
    refused = 302 if role == "anonymous" else 403
    assert ("New season…" in Page.of(someone.get("/clubs/lantern/")).text) == MAY[role]
    assert ("Start season…" in Page.of(someone.get(PAGE)).text) == MAY[role]
    for path in ("/clubs/lantern/new-season/", f"{PAGE}change/", f"{PAGE}remove/"):
        answer = someone.get(path)
        assert answer.status_code == (200 if MAY[role] else refused), path
        assert role != "anonymous" or answer["Location"].startswith("/accounts/login/?next=")
    changed = {"name": "Summer", "do": "save"}
    assert someone.post("/clubs/lantern/new-season/", filled(**changed)).status_code == (302 if MAY[role] else refused)
    assert Season.objects.filter(name="Summer").exists() == MAY[role]
    someone.post(f"{PAGE}start/", {"confirmed": "start_season"})
    someone.post(f"{PAGE}remove/", {"confirmed": "remove_season"})
    assert Season.objects.filter(pk=season.pk).exists() != MAY[role]


def test_there_is_nothing_at_a_club_that_is_not_there(niamh: Client) -> None:
    assert niamh.get("/clubs/nowhere/new-season/").status_code == 404
    assert niamh.post("/clubs/lantern/chinese-ten/nothing/start/").status_code == 404


def test_a_ladder_of_built_in_bots_alone_is_not_started_and_the_form_says_why(niamh: Client) -> None:
    """Built-in bots challenge nobody, so that nothing would ever be paired."""
    why = "built-in bots do not challenge"
    shown = Page.of(send(niamh, filled(format="ladder", do="show"), part="made"))
    assert why in shown.text
    refused = Page.of(send(niamh, filled(format="ladder", do="start")))
    assert why in refused.text
    assert not Season.objects.exists()
    send(niamh, filled(format="ladder", do="save"))
    page = Page.of(confirm(niamh, f"{PAGE}start/", follow=True))
    assert why in page.text
    assert "matches are paired from challenges" in page.text
    assert "The first round is paired" not in page.text


def test_the_style_sheet_hides_fields_by_ids_and_values_that_the_form_has(niamh: Client) -> None:
    """After a renaming it would hide a field always or never, and nothing would report it."""
    sheet = (ROOT / "frontend/static/css/setup.css").read_text(encoding="utf-8")
    ids = set(re.findall(r"#(id_\w+)", sheet))
    values = set(re.findall(r'option\[value="(\w*)"\]', sheet))
    assert (len(ids), len(values)) == (12, 8)
    page = Page.of(niamh.get("/clubs/lantern/new-season/"))
    assert ids - {attributes.get("id") for _tag, attributes in page.tags} == set()
    assert values - {attributes.get("value") for tag, attributes in page.tags if tag == "option"} == set()
