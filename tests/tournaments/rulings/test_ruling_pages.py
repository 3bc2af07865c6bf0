"""Rulings on pages and through the API: who may decide, and who is notified.

Niamh owns the club, Otto organises; Martha and Laura play a match by correspondence; Ada is the admin.
"""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.test import Client

from games.accounts.models import Notice
from games.models import Game, Player
from games.play import services as play
from tests.assertions.page import Page
from tests.fixtures.saved_rows import world
from tests.tournaments.club import Start, new_club
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.maintenance.rebuild import find_differences
from tournaments.rulings.models import Dispute
from tournaments.seasons.models import League, Match, MatchGame, Note, OrganiserAction, Round, Season

pytestmark = pytest.mark.django_db
WHY = "The clock was wrong."
SEASON = "/clubs/lantern/chinese-ten/autumn/"


@pytest.fixture
@world
def season(league: League) -> Season:
    """Return a season in which Martha and Laura play round 1."""
    season = seasons.create_season(
        league=league, name="Autumn", kind="chinese_ten", format="round_robin", games_a_match=2
    )
    for name in ("martha", "laura"):
        user = User.objects.create_user(name, f"{name}@example.org")
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        entries.enter_season(season=season, player=Player.objects.create(name=name.capitalize(), user=user))
    seasons.start_season(season=season)
    director.advance()
    league.club.memberships.create(user=User.objects.create_user("otto"), role="organiser")
    league.club.memberships.create(user=User.objects.create_user("mia"), role="member")
    User.objects.create_user("ada", is_staff=True)
    User.objects.create_user("stranger")
    return season


def browser(name: str) -> Client:
    client = Client()
    if name != "anonymous":
        client.force_login(User.objects.get(username=name))
    return client


def match() -> Match:
    return Match.objects.get()


@pytest.fixture
@world
def result(season: Season) -> Season:
    """Return the season after the first game of the match has ended."""
    play.leave_game(game=match().games.get(number=1).game, seat=0, how="resigned")
    return season


def at(path: str = "") -> str:
    return f"/matches/{match().pk}/{path}"


def hidden(client: Client, path: str) -> dict[str, str]:
    """Return the hidden fields of a page's form."""
    context = client.get(path).context
    kept = {name: str(context["form"][name].value() or "") for name in ("key", "version")}
    return {**kept, "confirmed": context["question"].code}


def post(name: str, path: str, data: dict[str, Any]) -> Any:
    return browser(name).post(f"/api/v1/{path}", data, content_type="application/json")


def error(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


# pages


def test_an_organiser_decides_a_match_on_its_page_and_everybody_reads_why(season: Season) -> None:
    otto = browser("otto")
    assert "Adjudicate the match…" in Page.of(otto.get(at())).text
    answer = otto.post(at("decide/"), {**hidden(otto, at("decide/")), "place0": 1, "place1": 2, "note": WHY})
    assert (answer.status_code, answer["Location"]) == (302, at())
    shown = Page.of(Client().get(at())).text
    assert "Adjudicated" in shown
    assert "Adjudicate the match…" not in shown
    timeline = Page.of(Client().get(f"{SEASON}activity/")).text
    first, second = (each.entrant.player.name for each in match().entrants.all())
    assert f"Adjudicated. Game 1 at table 1 of round 1: 1. {first}, 2. {second}. Reason: {WHY}" in timeline
    assert list(find_differences(write=True)) == []


def test_a_reason_is_needed_and_what_was_typed_stays(season: Season) -> None:
    otto = browser("otto")
    answer = otto.post(at("decide/"), {**hidden(otto, at("decide/")), "place0": 2, "place1": 1, "note": " "})
    assert answer.status_code == 422
    assert "This field is required." in Page.of(answer).text
    assert answer.context["form"]["place0"].value() == "2"
    assert not OrganiserAction.objects.exists()


def test_the_form_proposes_no_result(season: Season) -> None:
    """An organiser who forgets to choose a place decides nothing, not even a draw."""
    otto = browser("otto")
    page = otto.get(at("decide/"))
    assert [page.context["form"][name].value() for name in ("place0", "place1")] == [None, None]
    answer = otto.post(at("decide/"), {**hidden(otto, at("decide/")), "place0": 1, "note": WHY})
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == {"place1"}
    assert not OrganiserAction.objects.exists()


def test_scores_that_were_decided_are_shown(season: Season) -> None:
    sent = {"places": [1, 2], "scores": [41, 17], "note": WHY}
    assert post("otto", f"matches/{match().pk}/adjudicate/", sent).status_code == 201
    shown = Page.of(Client().get(at())).text
    assert "with 41" in shown
    assert "with 17" in shown
    assert "does not count" not in shown, "The game was aborted, and its decided result counts."


def test_of_two_organisers_who_look_at_once_the_second_is_told_to_look_again(season: Season) -> None:
    otto, niamh = browser("otto"), browser("niamh")
    path = at("games/1/annul/")
    first, second = hidden(otto, path), hidden(niamh, path)
    assert otto.post(path, {**first, "note": WHY}).status_code == 302
    late = niamh.post(path, {**second, "note": WHY})
    assert late.status_code == 422
    assert "This match has changed since you opened the page." in Page.of(late).text
    assert otto.post(path, {**first, "note": WHY}).status_code == 302, "The same click again is the same decision."
    assert OrganiserAction.objects.count() == 1


@pytest.mark.slow
def test_a_game_is_annulled_and_another_played_again_on_their_pages(season: Season) -> None:
    otto = browser("otto")
    for path in (at("games/1/annul/"), at("games/2/replay/")):
        assert otto.post(path, {**hidden(otto, path), "note": WHY}).status_code == 302
    shown = Page.of(otto.get(at())).text
    assert "Annulled" in shown
    assert "Replayed" in shown
    timeline = Page.of(Client().get(f"{SEASON}activity/")).text
    assert f"Annulled. Game 1 at table 1 of round 1 does not count. Reason: {WHY}" in timeline
    assert "Replay ordered. Game 2 at table 1 of round 1 will be replayed; its first result does not count." in timeline


@pytest.mark.slow
def test_the_last_round_is_undone_and_paired_anew_on_their_pages(season: Season) -> None:
    otto = browser("otto")
    path = f"{SEASON}undo-round/"
    assert "Undo round 1…" in Page.of(otto.get(f"{SEASON}decisions/")).text
    assert otto.post(path, {**hidden(otto, path), "note": WHY}).status_code == 302
    assert "The last round was undone." in Page.of(Client().get(SEASON)).text
    assert "does not count" in Page.of(Client().get(at())).text
    path = f"{SEASON}pair-again/"
    assert otto.post(path, {"key": "again", "note": "All are here."}).status_code == 302
    director.advance()
    assert Match.objects.count() == 2
    timeline = Page.of(Client().get(f"{SEASON}activity/")).text
    assert f"Round undone. The pairings and results of round 1 do not count any more. Reason: {WHY}" in timeline
    assert "Pairing continues. The round that was undone is paired again. Reason: All are here." in timeline


def test_the_list_says_who_decided_what_and_why_and_words_can_be_taken_back(season: Season) -> None:
    otto = browser("otto")
    path = at("games/1/annul/")
    otto.post(path, {**hidden(otto, path), "note": WHY})
    listed = Page.of(otto.get(f"{SEASON}decisions/")).text
    assert f"Annulled. Game 1 at table 1 of round 1 does not count. Reason: {WHY}" in listed
    assert "otto: Annulled." in listed
    Note.objects.update(text="")
    assert "The text of the reason was removed." in Page.of(otto.get(f"{SEASON}decisions/")).text
    assert "The text of the reason was removed." in Page.of(Client().get(f"{SEASON}activity/")).text
    assert list(find_differences(write=True)) == []


@pytest.mark.some(1)
@pytest.mark.parametrize("path", ["games/9/annul/", "games/9/replay/", "decide/?game=9", "decide/?game=x"])
def test_there_is_nothing_to_decide_about_a_game_that_is_not_there(season: Season, path: str) -> None:
    answer = browser("otto").get(at(path))
    if answer.status_code == 200:
        answer = browser("otto").post(at(path), {**hidden(browser("otto"), at(path)), "note": WHY})
        assert "has not been opened" in Page.of(answer).text
        assert answer.status_code == 422
    else:
        assert answer.status_code == 404


# disputes


def test_a_player_disputes_a_result_and_the_organisers_alone_read_it(result: Season) -> None:
    words = "Laura looked at my cards."
    assert browser("martha").post(at("dispute/"), {"note": words}).status_code == 302
    assert set(notified_users("season_needs_you")) == {"otto", "niamh"}
    for name, sees in {"otto": True, "martha": True, "laura": False, "stranger": False, "anonymous": False}.items():
        assert (words in Page.of(browser(name).get(at())).text) == sees, name
    timeline = Page.of(Client().get(f"{SEASON}activity/")).text
    assert "Disputed. Martha disputes table 1 of round 1." in timeline
    assert words not in timeline
    assert words in Page.of(browser("otto").get(f"{SEASON}decisions/")).text


def notified_users(subject: str) -> list[str]:
    return list(Notice.objects.filter(subject=subject).values_list("user__username", flat=True))


def test_a_dispute_is_declined_with_a_reason_and_both_are_told_once(result: Season) -> None:
    browser("martha").post(at("dispute/"), {"note": "Look, please."})
    path = at(f"disputes/{Dispute.objects.get().pk}/decline/")
    otto = browser("otto")
    assert "Look, please." in Page.of(otto.get(path)).text
    for answer in (302, 422):
        assert (
            otto.post(path, {"note": "The log is clear.", "key": "k", "confirmed": "decline_dispute"}).status_code
            == answer
        )
    assert sorted(notified_users("corrected")) == ["laura", "martha"]
    notice = Notice.objects.filter(subject="corrected").earliest("pk")
    assert "was declined. The result stands. Reason: The log is clear." in notice.text
    assert notice.send_state == "due"
    text = Page.of(Client().get(f"{SEASON}activity/")).text
    assert "Declined. The result of table 1 of round 1 stands" in text
    assert list(find_differences(write=True)) == []


def test_a_correction_answers_a_dispute_and_both_are_told(result: Season) -> None:
    browser("martha").post(at("dispute/"), {"note": "Look, please."})
    post("otto", f"matches/{match().pk}/adjudicate/", {"places": [1, 2], "note": WHY})
    assert Dispute.objects.get().status == "upheld"
    assert sorted(notified_users("corrected")) == ["laura", "martha"]
    assert "The result of your match of round 1 in" in Notice.objects.filter(subject="corrected").earliest("pk").text
    assert list(find_differences(write=True)) == []


@pytest.mark.slow
def test_an_open_dispute_is_raised_once_and_few_in_all(result: Season) -> None:
    martha = browser("martha")
    for turn in range(3):
        assert martha.post(at("dispute/"), {"note": f"Look, {turn}."}).status_code == 302
        again = martha.post(at("dispute/"), {"note": "And again."})
        assert "already have an open dispute" in Page.of(again).text
        asked = Dispute.objects.get(status="open")
        assert post("otto", f"matches/{match().pk}/decline/", {"dispute": asked.pk, "note": "No."}).status_code == 200
    assert (
        "You have already disputed this match 3 times" in Page.of(martha.post(at("dispute/"), {"note": "More."})).text
    )


def test_only_who_plays_a_match_disputes_it(season: Season) -> None:
    assert error(post("otto", f"matches/{match().pk}/dispute/", {"note": "x"})) == (403, "not_your_match")


# the API


def test_the_api_decides_as_the_pages_do(season: Season) -> None:
    base = f"matches/{match().pk}/"
    made = post("otto", f"{base}adjudicate/", {"game": 1, "places": [2, 1], "note": WHY})
    assert made.status_code == 201
    shown = made.json()
    assert {name: shown[name] for name in ("what", "by", "reason", "season", "match")} == {
        "what": "game_adjudicated",
        "by": "otto",
        "reason": WHY,
        "season": season.pk,
        "match": match().pk,
    }
    assert shown["text"].startswith("Game 1 at table 1 of round 1: 1. ")
    assert post("otto", f"{base}annul/", {"game": 1, "note": WHY}).status_code == 201
    assert post("otto", f"{base}replay/", {"game": 2, "note": WHY}).status_code == 201
    undone = {"round": Round.objects.get().pk, "note": WHY, "idempotency_key": "one"}
    for _again in range(2):
        assert post("otto", f"seasons/{season.pk}/undo-round/", undone).status_code == 201
    assert post("otto", f"seasons/{season.pk}/pair-again/", {"note": WHY}).status_code == 201
    listed = browser("otto").get(f"/api/v1/clubs/lantern/audit-log/?season={season.pk}").json()
    whats = [each["what"] for each in listed["results"]]
    assert whats == ["pairing_released", "round_undone", "game_ordered", "game_annulled", "game_adjudicated"]
    assert list(find_differences(write=True)) == []


def test_who_plays_decides_nothing_through_the_api(season: Season) -> None:
    base = f"matches/{match().pk}/"
    wanted: dict[str, dict[str, Any]] = {
        f"{base}adjudicate/": {"places": [1, 2], "note": WHY},
        f"{base}annul/": {"game": 1, "note": WHY},
        f"{base}replay/": {"game": 1, "note": WHY},
        f"seasons/{season.pk}/undo-round/": {"round": Round.objects.get().pk, "note": WHY},
        f"seasons/{season.pk}/pair-again/": {"note": WHY},
    }
    for path, data in wanted.items():
        assert error(post("martha", path, data)) == (403, "not_organiser"), path
    assert not OrganiserAction.objects.exists()
    assert {one.game.status for one in MatchGame.objects.select_related("game")} == {"playing"}


def test_the_api_says_what_is_wrong(season: Season) -> None:
    base = f"matches/{match().pk}/"
    assert error(post("otto", f"{base}adjudicate/", {"places": [1], "note": WHY})) == (400, "bad_places")
    assert error(post("otto", f"{base}annul/", {"game": 7, "note": WHY})) == (404, "no_such_game")
    assert error(post("otto", f"{base}annul/", {"game": 1, "note": WHY, "version": 77})) == (409, "stale_match")
    assert post("otto", f"{base}annul/", {"game": 1}).status_code == 400
    assert post("otto", "matches/99999/annul/", {"game": 1, "note": WHY}).status_code == 404
    assert post("otto", f"seasons/{season.pk}/undo-round/", {"round": 99999, "note": WHY}).status_code == 404


@pytest.mark.slow
def test_a_round_that_was_paired_again_is_not_undone_by_who_saw_the_old_one(season: Season) -> None:
    otto, seen = browser("otto"), Round.objects.get()
    path, undo = f"{SEASON}undo-round/", f"seasons/{season.pk}/undo-round/"
    sent = {**hidden(otto, path), "note": WHY}
    assert post("otto", undo, {"round": seen.pk, "note": WHY}).status_code == 201
    assert error(post("otto", undo, {"round": seen.pk, "note": WHY})) == (409, "not_last_round")
    assert post("otto", f"seasons/{season.pk}/pair-again/", {"note": WHY}).status_code == 201
    director.advance()
    now = Round.objects.get()
    assert (now.number, now.pk != seen.pk) == (seen.number, True)
    late = post("otto", undo, {"round": seen.pk, "note": WHY})
    assert error(late) == (409, "stale_round")
    assert late.json()["error"]["version"] == now.pk
    assert "has been undone and paired again since you opened the page" in Page.of(otto.post(path, sent)).text
    assert Round.objects.get() == now


def test_the_api_tells_organisers_the_version_of_a_match(season: Season) -> None:
    address = f"matches/{match().pk}/"
    seen = browser("otto").get(f"/api/v1/{address}").json()["version"]
    assert browser("martha").get(f"/api/v1/{address}").json()["version"] is None, "She only plays."
    assert post("otto", f"{address}annul/", {"game": 1, "note": WHY, "version": seen}).status_code == 201
    late = post("otto", f"{address}annul/", {"game": 2, "note": WHY, "version": seen})
    assert error(late) == (409, "stale_match")
    assert late.json()["error"]["version"] == browser("otto").get(f"/api/v1/{address}").json()["version"] > seen


def test_clubs_are_kept_apart(season: Season) -> None:
    harbour = new_club(name="Harbour", slug="harbour", owner=User.objects.get(username="stranger"))
    harbour.memberships.create(user=User.objects.get(username="mia"), role="organiser")
    assert browser("mia").get(at("decide/")).status_code == 403
    assert browser("stranger").get(f"{SEASON}decisions/").status_code == 403


def test_where_a_bot_could_not_play_the_page_says_that_it_would_sit_there_again(running: Start) -> None:
    running(2)
    director.advance()
    one = Match.objects.get()
    page = f"/matches/{one.pk}/games/1/replay/"
    assert "would play it again" not in browser("niamh").get(page).content.decode()
    Game.objects.filter(match_game__match=one, match_game__number=1).update(failures=8)
    text = " ".join(Page.of(browser("niamh").get(page)).text.split())
    assert "The game could not be played, and Gannet v1, Tin Whistle v1 would play it again" in text
    assert "adjudicate the game instead" in text
