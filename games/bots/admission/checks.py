"""Admission: what a new version goes through before it may play, and what it is told on the way.

    read    what came is a text (games.bots.uploads has seen to it)
    start   it starts in the sandbox and says that it is ready, and which kinds it plays
    game    a whole game against each built-in bot, for each kind, without a single fault
    time    how long its answers took, against what the terms allow
    rating  thirty games of each kind against a panel, and a first rating from them

After `time` it may play; the rating comes while it does. Each step has a state and a sentence, and is decided from what
the database holds, so that any worker can go on with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from games.bots import panel
from games.bots.admission import notifications as author_notifications
from games.bots.admission.trials import ClaimedTrial, TrialStep, end_games, fault_of, games_that_count
from games.common import clock
from games.gamelog.events import OPENED
from games.gamelog.fold import Fold
from games.gamelog.pacing import paces_of
from games.gamelog.terms import terms_of
from games.kinds import KINDS
from games.models import Bot, BotVersion, Deal, Game, Player, Trial
from games.play import endings, faults
from games.play.models import Fault
from games.play.openings import Opening
from games.play.roster import builtin_bots_for, ensure_builtin_bot
from games.programs.builtin import BUILTIN_BOTS
from games.programs.protocol import DEFAULT_CLOCK
from games.workers import waiting_reasons
from games.workers.models import BotResponseTimes
from games.workers.sandboxed_bot import Failure, SandboxedBot

STEP_DONE: Final = "done"
STEP_LIVE: Final = "live"
STEP_WAITING: Final = "wait"
STEP_FAILED: Final = "fault"
TRIAL_TERMS: Final[dict[str, Any]] = {"rated": False, "bot_faults": 1, "rematch": False}
BUILTIN_PART: Final = "built_in"
PANEL_PART: Final = "panel"
PANEL_DEALS: Final = {"random": 5, "sensible": 10}  # of the panel; each deal is played from both seats


def continue_admission(held: ClaimedTrial) -> bool:
    """Go on with the admission of a version for as long as this worker has it; whether anything was done."""
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
    """Start the file in the sandbox; if it is ready, open its games against the built-in bots."""
    version = held.trial.version
    try:
        kinds = kinds_of(version)
    except Failure as failure:
        reject_start(held, failure)
        return
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        sentence = _("The bot says that it plays {unknown}, which does not exist. The kinds are {kinds}.")
        reject_at_step(
            held, "start", sentence.format(unknown=", ".join(map(str, unknown))[:200], kinds=", ".join(KINDS))
        )
        return
    BotVersion.objects.filter(pk=version.pk).update(kinds=kinds)
    titles = ", ".join(KINDS[kind].spec.title for kind in kinds)
    ready = step_of(
        "start", STEP_DONE, _("The bot starts in the sandbox and is ready. It plays {titles}.").format(titles=titles)
    )
    bots = [(kind, bot) for kind in kinds for bot in builtin_bots_for(kind)]
    seated = [(kind, bot, number % 2) for number, (kind, bot) in enumerate(bots)]  # it is tried in either seat
    games = [
        step_of("game", STEP_WAITING, _("After that."), kind=kind, bot=bot, seat=seat) for kind, bot, seat in seated
    ]
    openings = [
        trial_opening(held.trial, kind, bot, f"{BUILTIN_PART}/{kind}/{bot}", seat=seat) for kind, bot, seat in seated
    ]
    held.open(openings, [*held.steps, ready, *games])


def kinds_of(version: BotVersion) -> list[str]:
    """Which kinds the version says that it plays. Raises `Failure` where it does not start.

    It is greeted for one kind after the other, for it may not know what to do with a kind that it does not play.
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
    """A game for two that was never dealt, to say hello with."""
    rules = KINDS[kind]
    opened = {"kind": kind, "rules_version": rules.spec.rules_version, "seats": 2, "options": rules.resolve(2, {})}
    return Fold([OPENED, {**opened, "terms": terms_of({}, paces_of(rules)).plain(), "commitment": ""}])


def trial_opening(trial: Trial, kind: str, bot: str, part: str, deal: Deal | None = None, seat: int = 0) -> Opening:
    """A game of the version against a built-in bot, in `seat` of two."""
    own = Player.objects.select_related("bot_version__bot").get(bot_version=trial.version)
    players = [own, ensure_builtin_bot(bot)]
    seated = players if seat == 0 else players[::-1]
    return Opening(kind, seated, terms=TRIAL_TERMS, deal=deal, trial=trial, part=part)


def play_builtin_games(held: ClaimedTrial) -> bool:
    """Play on against the built-in bots; when all games are over, look at the time, and let the version in."""
    played = held.play()
    steps = steps_with_progress(held)
    if fault := fault_of(held.trial):
        reject_fault(held, fault, steps)
        return True
    if not held.is_played():
        held.save(steps=steps)
        return played
    times = sorted(
        ms for row in BotResponseTimes.objects.filter(game__in=games_that_count(held.trial)) for ms in row.times
    )
    admit_version(held, [*steps, step_of("time", STEP_DONE, response_time_text(times))], times)
    return True


def steps_with_progress(held: ClaimedTrial) -> list[TrialStep]:
    """The steps with what the games have come to."""
    games = {game.part: game for game in held.games(BUILTIN_PART)}
    return [
        step_with_progress(step, games[f"{BUILTIN_PART}/{step['kind']}/{step['bot']}"])
        if step["name"] == "game"
        else step
        for step in held.steps
    ]


def step_with_progress(step: TrialStep, game: Game) -> TrialStep:
    """The step of a game against a built-in bot, as that game stands."""
    if game.status == Game.Status.PLAYING:
        if game.failures:
            why = waiting_reasons.why_not_played(game, clock.now())
            return {**step, "state": STEP_LIVE, "game": game.public_id, "sentence": why}
        if game.version < 3:
            return step
        return {
            **step,
            "state": STEP_LIVE,
            "game": game.public_id,
            "sentence": _("Playing: {n} events so far.").format(n=game.version),
        }
    seat = step.get("seat", 0)
    took = round((game.moved_at - game.opened_at).total_seconds(), 1)
    sentence = result_text(game.outcome or {}, seat)
    return {**step, "state": STEP_DONE, "game": game.public_id, "sentence": sentence, "seconds": took}


def result_text(outcome: Mapping[str, Any], seat: int) -> str:
    """What a game for two came to for `seat`: its scores, or how it ended before its last move."""
    scores, placings = outcome.get("scores") or [0, 0], outcome.get("placings") or [1, 1]
    level = placings[0] == placings[1]
    if (how := endings.termination_label(outcome.get("termination", ""))) and not level:
        return (_("Won {how}.") if placings[seat] == 1 else _("Lost {how}.")).format(how=how)
    words = {1: _("Won {mine} to {theirs}."), 2: _("Lost {mine} to {theirs}.")}
    text = _("Drawn {mine} to {theirs}.") if level else words[placings[seat]]
    return text.format(mine=scores[seat], theirs=scores[1 - seat])


def percentile(times: Sequence[float], part: float) -> float:
    """The time within which so great a part of the sorted `times` lies; 0 for none."""
    return times[min(len(times) - 1, math.ceil(part * len(times)) - 1)] if times else 0.0


def response_time_text(times: Sequence[float]) -> str:
    """How long the answers took, in a sentence."""
    if not times:
        return _("The bot never had a choice, so it was not asked for a move.")
    sentence = _(
        "{n} answers: 50 % within {half} ms, 99 % within {most} ms, the slowest {worst} ms. The limit is {limit} ms."
    )
    return sentence.format(
        n=len(times),
        half=milliseconds_text(median(times)),
        most=milliseconds_text(percentile(times, 0.99)),
        worst=milliseconds_text(times[-1]),
        limit=DEFAULT_CLOCK["move_ms"],
    )


def milliseconds_text(ms: float) -> str:
    """Milliseconds as people read them."""
    return f"{ms:.0f}" if ms >= 10 else f"{ms:.1f}"


def admit_version(held: ClaimedTrial, steps: Sequence[TrialStep], times: Sequence[float]) -> None:
    """The version may play from now on; the first of a bot does so at once."""
    version = held.trial.version
    measured = {"asks": len(times), "p50": median(times) if times else 0.0, "p99": percentile(times, 0.99)}
    with transaction.atomic():
        held.save(steps=list(steps), result={"time": measured})
        BotVersion.objects.filter(pk=version.pk, state=BotVersion.State.ADMISSION).update(state=BotVersion.State.PASSED)
        Bot.objects.filter(pk=version.bot_id, plays=None).update(plays=version)
        author_notifications.notify_admission(version, "passed")


def open_panel(held: ClaimedTrial) -> None:
    """Open the games of the first rating: the same deals from both seats."""
    openings: list[Opening] = []
    kinds = BotVersion.objects.values_list("kinds", flat=True).get(pk=held.trial.version_id)
    for kind in kinds:
        for bot, deals in PANEL_DEALS.items():
            for _number in range(deals):
                deal = Deal.objects.create()
                openings += [
                    trial_opening(held.trial, kind, bot, f"{PANEL_PART}/{kind}/{bot}", deal, seat) for seat in (0, 1)
                ]
    steps = [step_of("rating", STEP_LIVE, rating_progress_text(0), kind=kind) for kind in kinds]
    held.open(openings, [*held.steps, *steps])


def rating_progress_text(played: int) -> str:
    """How far the panel's games are."""
    games = 2 * sum(PANEL_DEALS.values())
    return _("{played} of {games} games played against built-in bots.").format(played=played, games=games)


def play_panel(held: ClaimedTrial) -> bool:
    """Play on against the panel; then write the first rating of each kind."""
    played = held.play()
    steps, ratings = [], {}
    over = held.is_played()
    for step in held.steps:
        if step["name"] != "rating":
            steps.append(step)
            continue
        games = [game for game in held.games(f"{PANEL_PART}/{step['kind']}/") if game.status == Game.Status.FINISHED]
        if not over:
            steps.append({**step, "sentence": rating_progress_text(len(games))})
            continue
        found = panel.estimate(step["kind"], [panel_result(game) for game in games])
        ratings[step["kind"]] = found.plain()
        sentence = _("{rating} ± {half} after {n} games against built-in bots.")
        words = sentence.format(rating=round(found.rating), half=round(found.half), n=len(games))
        steps.append({**step, "state": STEP_DONE, "sentence": words})
    if over:
        held.finish(steps, ratings=ratings)
    else:
        held.save(steps=steps)
    return played or over


def panel_result(game: Game) -> tuple[str, float]:
    """Against which built-in bot a game of the panel was, and what the version made of it: 1, ½ or 0."""
    bot = game.part.rsplit("/", 1)[1]
    seats = list(game.seats.select_related("player__bot_version").order_by("seat"))
    own = next(
        seat for seat in seats if seat.player.bot_version and seat.player.bot_version.program not in BUILTIN_BOTS
    )
    other = next(seat for seat in seats if seat is not own)
    assert own.placing is not None
    assert other.placing is not None
    return bot, 0.5 + 0.5 * ((own.placing < other.placing) - (own.placing > other.placing))


def step_of(name: str, state: str, sentence: str, **more: Any) -> TrialStep:
    """A step as pages and the API show it."""
    return {"name": name, "state": state, "sentence": sentence, **more}


def reject_start(held: ClaimedTrial, failure: Failure) -> None:
    """The version did not start: nobody is asked to play with it. Where the platform failed it is tried again."""
    version = held.trial.version
    cost = Fault.Cost.NONE if failure.kind == Fault.Kind.INFRASTRUCTURE else Fault.Cost.REFUSED
    row = faults.row(version, failure.kind, str(failure), failure.evidence, failure.stderr, cost=cost)
    row.save()
    if failure.kind == Fault.Kind.INFRASTRUCTURE:
        raise failure
    last = [line for line in row.stderr.splitlines() if line.strip()][-1:]
    reject_at_step(held, "start", " ".join([str(failure), *last])[:500], fault=row.pk)


def reject_fault(held: ClaimedTrial, fault: Fault, steps: Sequence[TrialStep]) -> None:
    """A fault in a game against a built-in bot: the version stays out, and its author sees the position."""
    end_games(held.trial)
    assert fault.game is not None
    _part, kind, bot = fault.game.part.split("/")
    sentence = _("Game of {title} against {bot}, event {n}: {why}").format(
        title=KINDS[kind].spec.title, bot=bot.capitalize(), n=fault.position, why=fault.sentence
    )
    marked = [
        {**step, "state": STEP_FAILED, "sentence": fault.sentence, "fault": fault.pk, "game": fault.game.public_id}
        if (step.get("kind"), step.get("bot")) == (kind, bot)
        else {**step, "state": "skipped", "sentence": _("Not played.")}
        if step["state"] in (STEP_WAITING, STEP_LIVE)
        else step
        for step in steps
    ]
    Fault.objects.filter(pk=fault.pk).update(cost=Fault.Cost.REFUSED)
    reject(held, marked, sentence)


def reject_at_step(held: ClaimedTrial, name: str, sentence: str, **more: Any) -> None:
    """The version stays out because of the step `name`."""
    reject(held, [*held.steps, step_of(name, STEP_FAILED, sentence, **more)], sentence)


def reject(held: ClaimedTrial, steps: Sequence[TrialStep], sentence: str) -> None:
    with transaction.atomic():
        held.finish(steps)
        BotVersion.objects.filter(pk=held.trial.version_id).update(state=BotVersion.State.REFUSED, reason=sentence)
        author_notifications.notify_admission(held.trial.version, "refused")
