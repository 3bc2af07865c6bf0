"""What an agent can do at a Scorebook server: find a game, look, play, and ask why. Each tool answers with text that a
person can read, too.

An agent is a remote bot (docs/how-to/run-a-remote-bot.md): it has the bot's token, clocks and rating, and learns what
its seat may know, and nothing else. The server decides what that is; this module only puts its answers into words.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote, urlencode

from scorebook_games.bots.sdk.remote import LOST, MY_GAMES, Server, ServerRefusal, own_bot, unreachable
from scorebook_games.presentation.base import Presentation
from scorebook_games.registry import KINDS

# Hosts give up after a minute. A call takes less: it sends its move within 4 timeouts and the pauses of RETRIES, and
# waits for the others until MAX_WAIT_SECONDS after its begin. Two requests that have begun by then may follow.
MAX_WAIT_SECONDS: Final = 40
TIMEOUT_SECONDS: Final = 8  # how long a request may be silent
RETRIES: Final = (0.5, 1.0, 2.0)  # seconds before a request is sent again
PAUSES: Final = (0.2, 0.3, 0.5, 1.0, 2.0)  # seconds between two looks at a game that waits for others
MOST_SEASONS, MOST_EVENTS, MOST_MOVES = 10, 40, 60  # lines of a list


class Agent:
    """The tools, for one token. Errors: `ServerRefusal`, whose text says what to do."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.known: dict[str, int] = {}  # the last event that the agent was told, by game
        self.told: dict[str, Mapping[str, Any]] = {}  # the turn that it was told last and has not played, by game

    def find_game(self, kind: str = "", against: str = "sensible", season: int = 0) -> str:
        """Find a game. Without arguments: the games that you have, seasons that you can enter, and kinds to choose
        from. With `kind`: open an unrated game against built-in bots (`against`, several separated by commas). With
        `season`: enter that season, or check in for it where that is due; its games begin when its rounds do.
        """
        bot = self._bot()
        if season:
            due = any(each["season"] == season and each["todo"] == "check_in" for each in self._open_seasons())
            self._send(f"seasons/{season}/{'check-in' if due else 'join'}/", {})
            return "\n".join([f"{bot['name']}: done.", *self._seasons(season), "Ask find_game again for its games."])
        if kind:
            built_in = [name.strip() for name in against.split(",") if name.strip()]
            game = self._send(f"remote-bots/{bot['id']}/games/", {"kind": kind, "built_in": built_in})["id"]
            return f"Game {game} is open.\n\n{self.observe(game)}"
        return "\n".join([*self._games(bot), "", *self._seasons(), "", *self._kinds()])

    def observe(self, game: str, wait: int = 0) -> str:
        """Tell what happened in a game since you last looked, what you see now, and whose turn it is. `wait`: how many
        seconds to wait for your turn, at most 40."""
        return self._observe(game, deadline(wait))

    def legal_moves(self, game: str, after: list[str] | None = None) -> str:
        """List the moves that the rules allow you now, as `play` takes them, each with what it does. In a game in beats
        also those that may follow the moves `after` in your bundle."""
        turn = self._turn(game, after=after or ())
        self.told[game] = turn
        if not turn["may_act"]:
            return "\n".join(["You have no move now.", *state(turn, [])])
        return "\n".join([*given(turn), *moves(turn, every=True)])

    def play(self, game: str, moves: list[str], wait: int = 20) -> str:
        """Play a move, written as legal_moves lists it, then tell what followed. In a game in beats give all moves of
        your bundle, of which the last ends it. `wait`: how many seconds to wait for your next turn, at most 40. It is
        refused if the game has changed since you last saw it: then observe it again."""
        until = deadline(wait)
        turn = self.told.get(game)
        if turn is None:
            sentence = "Observe the game first, then choose a move."
            raise ServerRefusal(409, {"code": "not_observed", "sentence": sentence})
        if turn["pace"] == "beats":
            self._send(f"{address(game)}bundles/", {"beat": turn["beat"], "moves": moves})
        elif len(moves) == 1:
            self._send(f"{address(game)}moves/", {"move": moves[0], "expected_version": turn["version"]})
        else:
            raise ServerRefusal(400, {"code": "one_move", "sentence": "Give one move. Only beats take several."})
        del self.told[game]
        return self._observe(game, until, played=turn["version"])

    def rules(self, kind: str) -> str:
        """Return the rules of a kind of game, clause by clause."""
        if kind not in KINDS:
            known = ", ".join(sorted(KINDS))
            return f"This kit has no rules of {kind}. They are on the server, at /rules/{kind}/. It knows {known}."
        page = KINDS[kind].rules_page.read_text(encoding="utf-8")
        return re.sub(r"^## In pictures$.*?(?=^## )", "", page, flags=re.DOTALL | re.MULTILINE)

    def say_why(self, game: str) -> str:
        """Say why a game is as it is: for each event the rule that made it happen, and after the end who won, by how
        much, what luck had to do with it, and the moments that mattered most."""
        replay = self._frames(game, 0)
        told = [*heading(replay, replay["turn"]["seat"] if replay["turn"] else None), ""]
        reasons = [line for frame in replay["frames"] if frame.get("why") for line in event(frame)]
        told += reasons[-MOST_EVENTS:] or ["No event so far followed from a rule alone: all were choices."]
        if replay["game"]["status"] == "finished":
            told += ["", *result(self._ask(f"{address(game)}result/"))]
        return "\n".join(told)

    def _ask(self, path: str) -> Any:
        try:
            return self.server.ask(path)
        except LOST as error:
            raise unreachable(error) from error

    def _send(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.server.insist(path, body, RETRIES)

    def _bot(self) -> Mapping[str, Any]:
        try:
            return own_bot(self.server)
        except LOST as error:
            raise unreachable(error) from error

    def _observe(self, game: str, until: float, played: int = 0) -> str:
        """Tell what is new in a game once it waits for the seat, or at the time `until`. At the version `played` the
        seat has just played."""
        known = self.known.get(game, 0)
        turn = self._wait(game, until, max(known, played))
        replay = self._frames(game, max(0, known - 1))  # with the last event that was told, whose position may be asked
        turn = replay["turn"] or turn  # of the same moment as the position
        news = {**replay, "frames": [frame for frame in replay["frames"] if frame["version"] > known]}
        lines = [*heading(replay, turn["seat"]), "", *timeline(news), *position(replay), ""]
        lines += state(turn, names_of(replay))
        self.known[game] = replay["version"]
        self.told[game] = turn
        return "\n".join(lines)

    def _turn(self, game: str, after: Sequence[str] = ()) -> Mapping[str, Any]:
        """Return what the seat may do, after the moves `after` of a bundle."""
        turn: Mapping[str, Any] = self._ask(f"{address(game)}turn/?{urlencode({'after': after}, doseq=True)}")
        return turn

    def _wait(self, game: str, until: float, known: int) -> Mapping[str, Any]:
        """Return what the seat may do once it is asked, or at the time `until`; check in where that is due. The agent
        was told version `known`."""
        turn = self._turn(game)
        if not turn["over"] and "before_go" in turn and turn["seat"] not in turn["before_go"]["ready"]:
            self._check_in(game)
            turn = self._turn(game)
        for pause in (*PAUSES, *PAUSES[-1:] * MAX_WAIT_SECONDS):
            if is_asked(turn, known) or turn["over"] or time.monotonic() + pause > until:
                break
            time.sleep(pause)
            turn = self._turn(game)
        return turn

    def _check_in(self, game: str) -> None:
        try:
            self._send(f"{address(game)}ready/", {})
        except ServerRefusal as refused:
            if refused.code != "started":
                raise

    def _frames(self, game: str, since: int) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._ask(f"{address(game)}replay/?{urlencode({'since': since})}")
        if since and not found["frames"]:
            return self._frames(game, 0)
        return found

    def _games(self, bot: Mapping[str, Any]) -> Iterator[str]:
        yield f"You are {bot['name']}, a remote bot."
        lines = self._ask(MY_GAMES)["lines"]
        waiting = {line["game"] for line in lines if line["type"] == "turn"}
        games = [line for line in lines if line["type"] == "game"]
        yield "Your games (observe with `game`):" if games else "You have no game in progress."
        for line in games:
            turn = "your turn" if line["game"] in waiting else self._why_it_waits(line["game"])
            yield f"  {line['game']}  {line['kind']}, {'rated' if line['rated'] else 'not rated'}: {turn}"

    def _why_it_waits(self, game: str) -> str:
        """Return what a game waits for, in which the bot has no move now."""
        turn = self._turn(game)
        return " ".join([*given(turn), *before(turn)]) or "waits for others"

    def _open_seasons(self) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = self._ask("seasons/open-to-me/")["results"]
        return found

    def _seasons(self, only: int = 0) -> Iterator[str]:
        """Yield the seasons that the bot can enter or is in, or the `only` one; if there are none, why not."""
        found = [each for each in self._open_seasons() if only in (0, each["season"])]
        own = [each for each in found if each["todo"] or each["entry"]]
        if own and not only:
            yield "Seasons (find_game with `season`):"
        elif not only:
            yield "No season is open to you now:" if found else "No season is open for entries."
        for each in (own or found)[:MOST_SEASONS]:
            terms = [each["kind"], "rated" if each["rated"] else "not rated"]
            terms += [f"starts {moment(each['starts_at'])}"] if each["status"] == "open" else []
            yield f"  {each['season']}  {each['name']} of {each['league']}, {each['club']}: {', '.join(terms)}"
            yield f"      {each['words']}"

    def _kinds(self) -> Iterator[str]:
        yield "Kinds for a game against built-in bots (find_game with `kind`):"
        for name in sorted(KINDS):
            yield f"  {name}  {KINDS[name].presentation.pitch}"


def deadline(wait: int) -> float:
    """Return until when a call that begins now waits for the others, on the clock of `time.monotonic`."""
    return time.monotonic() + min(max(wait, 0), MAX_WAIT_SECONDS)


def address(game: str) -> str:
    """Return where the API has a game."""
    return f"games/{quote(game, safe='')}/"


def is_asked(turn: Mapping[str, Any], known: int) -> bool:
    """Return whether the seat has something to decide that the agent was not told, when it knew version `known`.

    A bundle that was given can be replaced, and nobody waits for it. A secret chance, such as a quick throw in Palace
    (PA-16), stays open after a pass, which makes no event, until somebody else moves.
    """
    if not turn["may_act"] or turn["given"] is not None:
        return False
    return turn["seat"] in turn["waiting_for"] or turn["version"] > known


def names_of(replay: Mapping[str, Any]) -> list[str]:
    return [seat["name"] for seat in replay["game"]["seats"]]


def heading(replay: Mapping[str, Any], mine: int | None) -> Iterator[str]:
    """Yield which game this is, and who sits where; `mine` is the agent's seat."""
    game = replay["game"]
    yield f"{game['title']}, game {game['id']}."
    for seat in game["seats"]:
        left = f" ({seat['left']})" if seat["left"] else ""
        yield f"  Seat {seat['seat']}: {seat['name']}{' – you' if seat['seat'] == mine else ''}{left}"


def timeline(replay: Mapping[str, Any]) -> Iterator[str]:
    """Yield the newest events that can be told, each with its reason."""
    told = [line for frame in replay["frames"] for line in event(frame)]
    if told:
        yield "What happened:"
        if len(told) > MOST_EVENTS:
            yield f"  … {len(told) - MOST_EVENTS} more lines before these"
        yield from told[-MOST_EVENTS:]
        yield ""


def event(frame: Mapping[str, Any]) -> Iterator[str]:
    """Yield an event in words, and why it happened where a rule made it so."""
    if frame["words"]:
        yield f"  {frame['version']}. {frame['words']}"
        if why := frame.get("why"):
            yield f"     Why: {why['words']} ({why['clause']})"


def position(replay: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the seat sees now, a line for each fact."""
    kind = KINDS.get(replay["game"]["kind"])
    presentation = kind.presentation if kind else Presentation()
    frames = replay["frames"]
    if frames:
        yield f"What you see after event {replay['version']}:"
        for fact in presentation.position(frames[-1]["observation"], names_of(replay)):
            yield f"  {fact.label}: {fact.text}"


def state(turn: Mapping[str, Any], names: list[str]) -> Iterator[str]:
    """Yield whose turn it is, with the first legal moves of one's own."""
    if turn["may_act"] and turn["given"] is None:
        yield from moves(turn)
    else:
        yield from given(turn)
        yield from before(turn)
        yield from after_end(turn)
        yield from waits_for(turn, names)


def given(turn: Mapping[str, Any]) -> Iterator[str]:
    """Yield the bundle that the seat has given, if there is one."""
    if turn["given"] is not None:
        words = ", ".join(turn.get("given_words", []))
        yield f"You have given your bundle: {words}. Until the beat is played, another one replaces it."


def before(turn: Mapping[str, Any]) -> Iterator[str]:
    """Yield when a game begins that has not."""
    begins = turn.get("before_go")
    if begins and not turn["over"]:
        if turn["seat"] in begins["ready"]:
            begins_at = begins["begins_at"]
            yield f"You have checked in. The game begins {moment(begins_at) if begins_at else 'when the others have'}."
        else:
            yield "Check in now: observe does that."


def moves(turn: Mapping[str, Any], *, every: bool = False) -> Iterator[str]:
    """Yield the legal moves, with the time that is left; the first ones, or `every` one."""
    legal = turn["legal"]
    what = "legal moves" if len(legal) > 1 else "only legal move"
    if turn["given"] is not None:
        yield f"Your {what}:"
    elif turn["seat"] in turn["waiting_for"]:
        yield f"It is your turn{clock(turn)}. Your {what}:"
    else:
        yield f"You may act, but the game does not wait for you. Your {what}:"
    shown = legal if every else legal[:MOST_MOVES]
    yield from (f"  {move['move']}  – {move['words']}{' (goes on)' if 'goes_on' in move else ''}" for move in shown)
    if len(shown) < len(legal):
        yield f"  … and {len(legal) - len(shown)} more: ask legal_moves."
    if any_of := turn["any_of"]:
        yield f"  Also any other choice of dice as in {any_of['move']}."
    if any("goes_on" in move for move in shown):
        yield "Your bundle goes on after such a move: legal_moves with `after` lists what may follow. Play all at once."


def clock(turn: Mapping[str, Any]) -> str:
    """Return the time that the seat has left."""
    seats = turn["clock"]["seats"] if turn["clock"] else []
    own: Iterable[Mapping[str, Any]] = (seat for seat in seats if seat["seat"] == turn["seat"])
    return "".join(f", {duration(seat['move_ms'] + seat['bank_ms'])} left" for seat in own if seat["running"])


def moment(text: str) -> str:
    """Return a time of the API, to the minute."""
    return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def duration(ms: int) -> str:
    """Return a time in the largest unit of which there are two at least."""
    seconds = ms // 1000
    unit, word = next(
        ((unit, word) for unit, word in ((86400, "days"), (3600, "hours"), (60, "minutes")) if seconds >= 2 * unit),
        (1, "seconds"),
    )
    return f"{seconds // unit} {word}"


def waits_for(turn: Mapping[str, Any], names: list[str]) -> Iterator[str]:
    """Yield for whom the game waits."""
    if turn["waiting_for"] and not turn["over"]:
        named = [names[seat] if seat < len(names) else f"seat {seat}" for seat in turn["waiting_for"]]
        yield f"The game waits for {', '.join(named)}. Ask observe with `wait`."


def after_end(turn: Mapping[str, Any]) -> Iterator[str]:
    """Yield how the game ended."""
    if turn["over"]:
        yield f"The game is over. {turn['over']['words']} Ask say_why for what mattered."


def result(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the result of a finished game: who won and why, places, luck, and the moments that mattered most."""
    if found["sealed"]:
        yield "The result is sealed until all games with these cards are over."
        return
    yield " ".join(filter(None, (found["sentence"], found["margin"], found["best"])))
    for seat in found["seats"]:
        score = "" if seat["score"] is None else f", {seat['score']} points"
        yield f"  {seat['name']}: place {seat['place']}{score}"
        if seat["luck"]:
            yield f"     {seat['luck']}"
    for moment in found["moments"]:
        yield f"  {moment['version']}. {moment['words']}: {moment['worth']}"
    yield from found["notes"]
