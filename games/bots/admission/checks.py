"""Admission: the steps that a new version goes through before it may play.

- read: the upload is a text (checked by `games.bots.uploads`)
- start: the bot starts in the sandbox, says that it is ready, and names the kinds it plays
- game: one whole game against each built-in bot, for each kind, without a fault
- time: how long its answers took, compared with what the terms allow
- rating: thirty games of each kind against a panel, which give a first rating

After `time` the version may play; the rating is made meanwhile. Each step has a state and a sentence. It is decided
from what the database holds, so any worker can go on with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Final

from django.db import transaction

from games.bots import first_rating
from games.bots import sentences as bot_sentences
from games.bots.admission import notifications as author_notifications
from games.bots.admission.trials import ClaimedTrial, TrialStep, end_games, games_that_count, own_faults
from games.models import Bot, BotVersion, Deal, Game, Player, Trial
from games.play import faults
from games.play.models import Fault
from games.play.openings import Opening
from games.play.roster import builtin_bots_for, ensure_builtin_bot
from games.workers.models import BotResponseTimes
from games.workers.sandboxed_bot import Failure, SandboxedBot
from scorebook_games.bots.builtin import BUILTIN_BOTS
from scorebook_games.bots.protocol import DEFAULT_CLOCK
from scorebook_games.gamelog.events import OPENED
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import paces_of
from scorebook_games.gamelog.terms import terms_of
from scorebook_games.placings import letter_against
from scorebook_games.presentation.coded_text import Sentence, plain, written
from scorebook_games.registry import KINDS

STEP_DONE: Final = "done"
STEP_LIVE: Final = "live"
STEP_WAITING: Final = "wait"
STEP_FAILED: Final = "fault"
TRIAL_TERMS: Final[dict[str, Any]] = {"rated": False, "bot_faults": 1, "rematch": False}
BUILTIN_PART: Final = "built_in"
PANEL_PART: Final = "panel"
PRINTED_MAX_LENGTH: Final = 400  # of the last line that a bot printed before it failed at its start
PANEL_DEALS: Final = {"random": 5, "sensible": 10}  # in the panel; each deal is played from both seats


def continue_admission(held: ClaimedTrial) -> bool:
    """Go on with the admission of a version while this worker has it; return whether anything was done."""
    steps = held.steps
    if not any(step["name"] == "start" for step in steps):
        start_version(held)
        return True
    if steps[-1]["name"] == "game" or any(
        step["state"] in (STEP_WAITING, STEP_LIVE) for step in steps if step["name"] == "game"
    ):
        return play_builtin_games(held)
    if steps[-1]["name"] == "time":
        open_panel(held)
        return True
    return play_panel(held)


def start_version(held: ClaimedTrial) -> None:
    """Start the file in the sandbox. If it is ready, open its games against the built-in bots."""
    version = held.trial.version
    try:
        kinds = kinds_of(version)
    except Failure as failure:
        reject_start(held, failure)
        return
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        named = [str(kind)[:20] for kind in unknown][:10]
        reject_at_step(held, "start", [bot_sentences.kinds_unknown(named, list(KINDS))])
        return
    BotVersion.objects.filter(pk=version.pk).update(kinds=kinds)
    ready = step_of("start", STEP_DONE, [bot_sentences.start_ready(kinds)])
    bots = [(kind, bot) for kind in kinds for bot in builtin_bots_for(kind)]
    seated = [(kind, bot, number % 2) for number, (kind, bot) in enumerate(bots)]  # the version plays in both seats
    games = [
        step_of("game", STEP_WAITING, [bot_sentences.game_later()], kind=kind, bot=bot, seat=seat)
        for kind, bot, seat in seated
    ]
    openings = [
        trial_opening(held.trial, kind, bot, f"{BUILTIN_PART}/{kind}/{bot}", seat=seat) for kind, bot, seat in seated
    ]
    held.open(openings, [*held.steps, ready, *games])


def kinds_of(version: BotVersion) -> list[str]:
    """Return the kinds that the version says it plays. Raises `Failure` if it does not start.

    It gets a hello for one kind after the other, because it may fail on a kind that it does not play.
    """
    first: Failure | None = None
    for kind in KINDS:
        try:
            answer = SandboxedBot(version.source.encode(), 0, 0).introduce(undealt_game(kind))
            return list(dict.fromkeys(answer)) or list(KINDS)
        except Failure as failure:
            first = first or failure
            if failure.kind not in ("start_crashed", "crashed"):
                raise
    assert first is not None, "There are kinds."
    raise first


def undealt_game(kind: str) -> Fold:
    """Return a game for two that was never dealt, for a hello."""
    rules = KINDS[kind].rules
    opened = {"kind": kind, "rules_version": rules.spec.rules_version, "seats": 2, "options": rules.resolve(2, {})}
    return Fold([OPENED, {**opened, "terms": terms_of({}, paces_of(rules)).plain(), "commitment": ""}])


def trial_opening(trial: Trial, kind: str, bot: str, part: str, deal: Deal | None = None, seat: int = 0) -> Opening:
    """Return a game of the version in `seat` of two, against a built-in bot."""
    challenger = Player.objects.select_related("bot_version__bot").get(bot_version=trial.version)
    players = [challenger, ensure_builtin_bot(bot)]
    seated = players if seat == 0 else players[::-1]
    return Opening(kind, seated, terms=TRIAL_TERMS, deal=deal, trial=trial, part=part)


def play_builtin_games(held: ClaimedTrial) -> bool:
    """Play the games against the built-in bots. When all are over, check the answer times and admit the version."""
    played = held.play()
    found = own_faults(held.trial)
    steps = steps_with_progress(held, found)
    if found:
        reject_fault(held, found[0], steps)
        return True
    if not held.is_played():
        held.save(steps=steps)
        return played
    times = sorted(
        ms for row in BotResponseTimes.objects.filter(game__in=games_that_count(held.trial)) for ms in row.times
    )
    admit_version(held, [*steps, step_of("time", STEP_DONE, [response_time_sentence(times)])], times)
    return True


def steps_with_progress(held: ClaimedTrial, found: Sequence[Fault]) -> list[TrialStep]:
    """Return the steps, updated with the results of their games and the version's own faults in them."""
    games = {game.part: game for game in held.games(BUILTIN_PART)}
    first = {fault.game_id: fault for fault in reversed(found)}
    steps: list[TrialStep] = []
    for step in held.steps:
        if step["name"] == "game":
            game = games[f"{BUILTIN_PART}/{step['kind']}/{step['bot']}"]
            steps.append(step_with_progress(step, game, first.get(game.pk)))
        else:
            steps.append(step)
    return steps


def step_with_progress(step: TrialStep, game: Game, fault: Fault | None) -> TrialStep:
    """Return the step of a game against a built-in bot, updated with the state of that game, or with its fault."""
    if fault:
        return {
            **step,
            "state": STEP_FAILED,
            "game": game.public_id,
            "sentences": fault.sentences,
            "fault": fault.pk,
        }
    if game.status == Game.Status.PLAYING:
        if game.failures:
            sentences = plain([bot_sentences.game_interrupted()])
            return {**step, "state": STEP_LIVE, "game": game.public_id, "sentences": sentences}
        if game.version < 3:
            return step
        return {
            **step,
            "state": STEP_LIVE,
            "game": game.public_id,
            "sentences": plain([bot_sentences.game_going_on(game.version)]),
        }
    seat = step.get("seat", 0)
    took = round((game.moved_at - game.opened_at).total_seconds(), 1)
    sentences = plain([result_sentence(game.outcome or {}, seat)])
    return {**step, "state": STEP_DONE, "game": game.public_id, "sentences": sentences, "seconds": took}


def result_sentence(outcome: Mapping[str, Any], seat: int) -> Sentence:
    """Return the result of a two-player game for `seat`: its scores, or how the game ended before its last move."""
    scores, placings = outcome.get("scores") or [0, 0], outcome.get("placings") or [1, 1]
    mine, theirs = scores[seat], scores[1 - seat]
    result = letter_against(placings[seat], placings[1 - seat])
    if result == "D":
        return bot_sentences.game_drawn(mine, theirs)
    ended = bot_sentences.game_won if result == "W" else bot_sentences.game_lost
    return ended(mine, theirs, outcome.get("termination", ""))


def percentile(times: Sequence[float], part: float) -> float:
    """Return the time below which this part (0 to 1) of the sorted `times` lies; 0 if there are none."""
    return times[min(len(times) - 1, math.ceil(part * len(times)) - 1)] if times else 0.0


def response_time_sentence(times: Sequence[float]) -> Sentence:
    """Return how long the answers took."""
    if not times:
        return bot_sentences.never_asked()
    half, most, worst = median(times), percentile(times, 0.99), times[-1]
    return bot_sentences.response_times(len(times), half, most, worst, limit=DEFAULT_CLOCK["move_ms"])


def admit_version(held: ClaimedTrial, steps: Sequence[TrialStep], times: Sequence[float]) -> None:
    """Let the version play from now on. A bot's first version is chosen at once."""
    version = held.trial.version
    measured = {"asks": len(times), "p50": median(times) if times else 0.0, "p99": percentile(times, 0.99)}
    with transaction.atomic():
        held.save(steps=list(steps), result={"time": measured})
        BotVersion.objects.filter(pk=version.pk, state=BotVersion.State.ADMISSION).update(state=BotVersion.State.PASSED)
        Bot.objects.filter(pk=version.bot_id, plays=None).update(plays=version)
        author_notifications.notify_admission(version, passed=True)


def open_panel(held: ClaimedTrial) -> None:
    """Open the games of the first rating, with the same deals from both seats."""
    openings: list[Opening] = []
    kinds = BotVersion.objects.values_list("kinds", flat=True).get(pk=held.trial.version_id)
    for kind in kinds:
        for bot, deals in PANEL_DEALS.items():
            for _number in range(deals):
                deal = Deal.objects.create()
                openings += [
                    trial_opening(held.trial, kind, bot, f"{PANEL_PART}/{kind}/{bot}", deal, seat) for seat in (0, 1)
                ]
    steps = [step_of("rating", STEP_LIVE, [rating_progress(0)], kind=kind) for kind in kinds]
    held.open(openings, [*held.steps, *steps])


def rating_progress(played: int) -> Sentence:
    """Return how far the panel's games are."""
    return bot_sentences.rating_going_on(played, 2 * sum(PANEL_DEALS.values()))


def play_panel(held: ClaimedTrial) -> bool:
    """Play the games against the panel, then store the first rating of each kind."""
    played = held.play()
    steps, ratings = [], {}
    over = held.is_played()
    for step in held.steps:
        if step["name"] != "rating":
            steps.append(step)
            continue
        games = [game for game in held.games(f"{PANEL_PART}/{step['kind']}/") if game.status == Game.Status.FINISHED]
        if not over:
            steps.append({**step, "sentences": plain([rating_progress(len(games))])})
            continue
        found = first_rating.estimate(step["kind"], [panel_result(game) for game in games])
        ratings[step["kind"]] = found.plain()
        rated = plain([bot_sentences.first_rating(round(found.rating), round(found.half), len(games))])
        steps.append({**step, "state": STEP_DONE, "sentences": rated})
    if over:
        held.finish(steps, ratings=ratings)
    else:
        held.save(steps=steps)
    return played or over


def panel_result(game: Game) -> tuple[str, float]:
    """Return the built-in bot that a panel game was against, and the version's result: 1, ½ or 0."""
    bot = game.part.rsplit("/", 1)[1]
    seats = list(game.seats.select_related("player__bot_version").order_by("seat"))
    own = next(
        seat for seat in seats if seat.player.bot_version and seat.player.bot_version.program not in BUILTIN_BOTS
    )
    other = next(seat for seat in seats if seat is not own)
    assert own.placing is not None
    assert other.placing is not None
    return bot, 0.5 + 0.5 * ((own.placing < other.placing) - (own.placing > other.placing))


def step_of(name: str, state: str, sentences: Sequence[Sentence], **more: Any) -> TrialStep:
    """Return a step as it is stored."""
    return {"name": name, "state": state, "sentences": faults.storable(plain(sentences)), **more}


def reject_start(held: ClaimedTrial, failure: Failure) -> None:
    """Reject a version that did not start. If the platform failed, it is tried again."""
    version = held.trial.version
    cost = Fault.Cost.NONE if failure.kind == Fault.Kind.INFRASTRUCTURE else Fault.Cost.REFUSED
    row = faults.row(version, failure.kind, failure.sentences, failure.evidence, failure.stderr, cost=cost)
    row.save()
    if failure.kind == Fault.Kind.INFRASTRUCTURE:
        raise failure
    last = [line for line in row.stderr.splitlines() if line.strip()][-1:]
    printed = [written(line[:PRINTED_MAX_LENGTH]) for line in last]
    reject_at_step(held, "start", [*failure.sentences, *printed], fault=row.pk)


def reject_fault(held: ClaimedTrial, fault: Fault, steps: Sequence[TrialStep]) -> None:
    """Reject a version because of a fault in a game against a built-in bot. Its author sees the position."""
    end_games(held.trial)
    assert fault.game is not None
    _part, kind, bot = fault.game.part.split("/")
    assert fault.position is not None, "It has a game."
    place = bot_sentences.refused_in_game(kind, bot, fault.position)
    not_played = plain([bot_sentences.game_not_played()])
    marked = [
        {**step, "state": "skipped", "sentences": not_played} if step["state"] in (STEP_WAITING, STEP_LIVE) else step
        for step in steps
    ]
    Fault.objects.filter(pk=fault.pk).update(cost=Fault.Cost.REFUSED)
    reject(held, marked, [*plain([place]), *fault.sentences])


def reject_at_step(held: ClaimedTrial, name: str, sentences: Sequence[Sentence], **more: Any) -> None:
    """Reject the version because of the step `name`."""
    step = step_of(name, STEP_FAILED, sentences, **more)
    reject(held, [*held.steps, step], step["sentences"])


def reject(held: ClaimedTrial, steps: Sequence[TrialStep], reasons: Sequence[Any]) -> None:
    """Reject the version for these stored sentences."""
    with transaction.atomic():
        held.finish(steps)
        refused = {"state": BotVersion.State.REFUSED, "reasons": list(reasons)}
        BotVersion.objects.filter(pk=held.trial.version_id).update(**refused)
        author_notifications.notify_admission(held.trial.version, passed=False)
