"""The part of the story with seasons at Lantern Street: bots play one; people play others, with changes and rulings."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from games.common import clock
from games.play.roster import ensure_builtin_bot
from tests.config.docs.story.cast import play_on, player
from tests.config.docs.story.clubs import CLUB, SLUG
from tests.config.docs.story.teller import Teller
from tournaments.director import director
from tournaments.seasons import stream
from tournaments.seasons.models import Entrant, Match, Round, Season

SEASON, MATCH = "seasons/{id}/", "matches/{id}/"
TIMES = "matches/{match_id}/times/"
WHY = "The clock was wrong."
PLAN = {"club": SLUG, "new_league": "Palace League", "name": "Spring 2027", "kind": "palace", "table_size": 2}
IMPORTED = {"club": SLUG, "new_league": "Autumn League", "name": "Autumn 2026", "kind": "palace"}
CALENDAR = {"rule": "weekdays", "times": ["thu 19:00"]}


def season_of(teller: Teller, name: str, *people: str, **plan: Any) -> int:
    """Create a season of Martha's with these entrants, and return its id."""
    wanted = {"club": SLUG, "new_league": f"{name} League", "name": name, "kind": "chinese_ten", **plan}
    made: int = teller.ask("martha", "POST seasons/", wanted)["id"]
    for who in people:
        teller.ask(who, f"POST {SEASON}join/", {}, id=made)
    return made


def start(teller: Teller, season: int) -> None:
    """Start a season and open round 1."""
    teller.ask("martha", f"POST {SEASON}start/", id=season)
    with clock.frozen_at(teller.now):
        director.advance()


def set_up(teller: Teller) -> None:
    """Plan a season, preview it, change it, cancel it and import another."""
    ask = teller.ask
    plan = {**PLAN, "calendar": CALENDAR, "starts_at": "2027-02-01T19:00:00Z", "bots": {"random": 2, "sensible": 2}}
    ask("martha", "GET seasons/presets/")
    ask("martha", "POST seasons/preview/", plan)
    season = ask("martha", "POST seasons/", plan)["id"]
    ask("martha", f"PATCH {SEASON}", {"name": "Spring 2027, second edition"}, id=season)
    ask("martha", f"DELETE {SEASON}", {"note": "The hall is let."}, id=season)
    text = "name\nMartha\nLaura\n"
    ask("martha", "POST seasons/import/", {**IMPORTED, "text": text, "dry_run": True})


def bots(teller: Teller) -> None:
    """Let bots play a season to its end."""
    ask = teller.ask
    plan: dict[str, Any] = {"bots": {"random": 2, "sensible": 1}, "format": "round_robin", "options": {"packs": 1}}
    season = season_of(teller, "Winter", calendar={"seconds": 60}, **plan)
    start(teller, season)
    ask("", f"GET {SEASON}what-if/", id=season)
    play_on(teller, 2)
    ask("", "GET seasons/", kind="chinese_ten", status="running")
    for what in ("", "entrants/", "rounds/", "standings/", "strengths/", "timeline/"):
        ask("", f"GET {SEASON}{what}", id=season)
    ask("martha", "GET seasons/{season_id}/export/", **{"season_id": season, "as": "json"})
    match = ask("", "GET matches/", season=season)["results"][0]["id"]
    ask("", f"GET {MATCH}", id=match)
    pool = ask("", "GET rating-pools/", kind="chinese_ten")["results"][0]["id"]
    ask("", "GET rating-pools/{id}/", id=pool)
    rating = ask("", "GET ratings/", kind="chinese_ten", pool="bots")["results"][0]["id"]
    ask("", "GET ratings/{id}/", id=rating)


def people(teller: Teller) -> None:
    """Let people play a season, in which Martha helps when somebody falls ill."""
    ask = teller.ask
    plan: dict[str, Any] = {
        "entry": {"invited_only": True},
        "calendar": {"seconds": 7 * 86400},
        "on_round_deadline": "adjudicate",
        "format": "round_robin",
        "terms": {"move_days": 3},
    }
    season = season_of(teller, "Easter", "laura", "otto", "niamh", "jasper", **plan)
    for asking in Entrant.objects.filter(season=season, status="asked").order_by("number"):
        ask("martha", f"POST {SEASON}admit/", {"entrant": asking.number}, id=season)
    ask("laura", "GET seasons/open-to-me/")
    ask("laura", f"POST {SEASON}away/", {"rounds": [2]}, id=season)
    ask("laura", f"POST {SEASON}answer-round/", {"round": 3, "plays": True}, id=season)
    ask("laura", f"GET {SEASON}availability/", id=season)
    start(teller, season)
    ask("laura", "GET me/seasons/")
    first = Round.objects.get(division__season=season, number=1)
    late = {"round": first.pk, "until": "2027-01-25T19:00:00Z", "note": "Flu."}
    ask("martha", f"POST {SEASON}pause/", {"note": "The hall is flooded."}, id=season)
    ask("martha", f"POST {SEASON}resume/", {"note": "It is dry."}, id=season)
    ask("martha", f"POST {SEASON}extend/", late, id=season)
    match = Match.objects.filter(round=first, entrants__entrant__player=player("Laura")).get()
    teller.later(hours=30)
    ask("martha", "POST matches/{match_id}/nudge/", {"note": "The week is nearly over."}, match_id=match.pk)
    decide(teller, season, match)
    jasper = Entrant.objects.get(season=season, player=player("Jasper")).number
    ask("martha", f"POST {SEASON}withdraw/", {"entrant": jasper, "note": "He has moved."}, id=season)
    ask("niamh", f"POST {SEASON}leave/", {"note": "Too much to do."}, id=season)
    ask("martha", f"GET {CLUB}calendar/", slug=SLUG, month="2027-01")
    ask("martha", f"POST {SEASON}abandon/", {"how": "stands", "note": "Two are left."}, id=season)
    ask("martha", "GET clubs/{club}/audit-log/", club=SLUG)


def decide(teller: Teller, season: int, match: Match) -> None:
    """Let organisers decide about Laura's match, and then about the whole round."""
    ask = teller.ask
    ruling = {"note": WHY, "game": 1, "places": [1, 2], "scores": [60, 40]}
    ask("martha", f"POST {MATCH}adjudicate/", ruling, id=match.pk)
    ask("laura", f"POST {MATCH}dispute/", {"note": "My clock ran while the site was down."}, id=match.pk)
    ask("martha", "GET inbox/")
    ask("martha", "GET clubs/{club}/inbox/", club=SLUG)
    ask("martha", "GET upcoming/")
    ask("martha", "GET clubs/{club}/upcoming/", club=SLUG)
    number = match.disputes.get().pk
    ask("martha", f"POST {MATCH}decline/", {"dispute": number, "note": "The site was up."}, id=match.pk)
    ask("martha", f"POST {MATCH}annul/", {"note": WHY, "game": 1}, id=match.pk)
    ask("martha", f"POST {MATCH}replay/", {"note": WHY, "game": 1}, id=match.pk)
    ask("martha", f"POST {SEASON}undo-round/", {"note": WHY, "round": match.round_id}, id=season)
    ask("martha", f"POST {SEASON}pair-again/", {"note": WHY, "division": 1}, id=season)


def appointments(teller: Teller) -> None:
    """Let players agree on times and check in."""
    ask = teller.ask
    live: dict[str, Any] = {"move_seconds": 60, "rated": False}
    calendar = {"seconds": 7 * 86400, "match_time": "agreed", "fallback_time": "sun 18:00"}
    season = season_of(teller, "Summer", "laura", "otto", calendar=calendar, terms=live)
    start(teller, season)
    match = Match.objects.get(round__division__season=season).pk
    ask("laura", "GET me/matches/")
    soon = [(teller.now + timedelta(days=day)).isoformat() for day in (1, 2)]
    ask("otto", f"GET {TIMES}", match_id=match)
    found = ask("laura", f"POST {TIMES}", {"times": soon}, match_id=match)
    one = {"match_id": match, "proposal_id": found["proposals"][0]["id"]}
    ask("laura", f"DELETE {TIMES}{{proposal_id}}/", **one)
    for answer, body in (("decline", None), ("accept", {"times": soon[:1]})):
        found = ask("laura", f"POST {TIMES}", {"times": soon}, match_id=match)
        newest = max(each["id"] for each in found["proposals"])
        ask("otto", f"POST {TIMES}{{proposal_id}}/{answer}/", body, match_id=match, proposal_id=newest)

    opens: dict[str, Any] = {
        "entry": {"check_in_hours": 24},
        "starts_at": (teller.now + timedelta(hours=12)).isoformat(),
    }
    season = season_of(teller, "Whitsun", "laura", "otto", **opens)
    ask("laura", f"POST {SEASON}check-in/", {}, id=season)
    season = season_of(teller, "Harvest", players=[player("Niamh").pk])  # who is no member of the club
    ask("niamh", f"POST {SEASON}accept-invitation/", {}, id=season)


def commentary(teller: Teller) -> None:
    """Let somebody comment on a season whose games spectators see late."""
    ask = teller.ask
    season = season_of(teller, "Lent", "laura", "otto", calendar={"seconds": 86400}, terms={"watch_delay": 60})
    start(teller, season)
    made = ask("martha", f"POST {SEASON}commentary/", id=season)
    ask("martha", f"GET {SEASON}commentary/", id=season)
    secret = made["address"].rstrip("/").rpartition("/")[2]
    game = ask("", "GET commentary/{secret}/", secret=secret)["games"][0]["id"]
    ask("", "GET games/{public_id}/commentary/{secret}/", public_id=game, secret=secret)
    ask("martha", f"DELETE {SEASON}commentary/", id=season)


def ladder(teller: Teller) -> None:
    """Let players of a ladder challenge each other and answer."""
    ask = teller.ask
    season = season_of(teller, "Ladder", "laura", "otto", "niamh", format="ladder", terms={"move_days": 3})
    start(teller, season)
    folded = stream.fold_season(Season.objects.get(pk=season))
    lots = folded.lots(folded.division(1))
    order = sorted(lots, key=lambda number: lots[number])
    entrants = {each.number: each for each in Entrant.objects.filter(season=season).select_related("player")}
    (top, first), (second, then), (third, last) = [(one, entrants[one].player.name.lower()) for one in order]
    ask(then, f"POST {SEASON}challenge/", {"entrant": top}, id=season)
    ask(first, f"GET {SEASON}ladder/", id=season)
    ask(first, f"POST {SEASON}decline-challenge/", {"entrant": second, "note": "I am away."}, id=season)
    ask(last, f"POST {SEASON}challenge/", {"entrant": second}, id=season)
    ask(last, f"POST {SEASON}withdraw-challenge/", {}, id=season)
    ask(last, f"POST {SEASON}challenge/", {"entrant": second}, id=season)
    ask(then, f"POST {SEASON}accept-challenge/", {"entrant": third}, id=season)


def teams(teller: Teller) -> None:
    """Let two teams meet: their captains name line-ups, and Martha lets a substitute play."""
    ask = teller.ask
    options = {"format": "team_round_robin", "format_options": {"boards": 2}, "terms": {"move_days": 3, "rated": False}}
    season = season_of(teller, "Teams", **options)
    laura, otto, martha = (player(name).pk for name in ("Laura", "Otto", "Martha"))
    first, second, third = bot_ids()
    made = {}
    for who, name, members in (("laura", "Foxes", [laura, first, martha]), ("otto", "Herons", [otto, second])):
        team = {"name": name, "members": members, "captain": members[0]}
        made[who] = ask(who, f"POST {SEASON}register-team/", team, id=season)["entrant"]
    changed = {"entrant": made["otto"], "members": [otto, second, third], "captain": otto}
    ask("otto", f"POST {SEASON}change-team/", changed, id=season)
    ask("", f"GET {SEASON}teams/", id=season)
    start(teller, season)
    match = Match.objects.get(round__division__season=season).pk
    ask("laura", f"POST {MATCH}lineup/", {"players": [laura, first]}, id=match)
    ask("otto", f"POST {MATCH}lineup/", {"players": [otto, second]}, id=match)
    with clock.frozen_at(teller.now):
        director.advance()
    ask("", f"GET {MATCH}boards/", id=match)
    change = {"note": "Laura is ill.", "entrant": made["laura"], "board": 1, "player": martha}
    ask("martha", f"POST {MATCH}substitute/", change, id=match)
    ask("laura", f"POST {SEASON}leave-team/", {"entrant": made["laura"]}, id=season)


def bot_ids() -> list[int]:
    """Return the ids of three built-in bots."""
    return [ensure_builtin_bot("sensible", number).pk for number in (1, 2, 3)]
