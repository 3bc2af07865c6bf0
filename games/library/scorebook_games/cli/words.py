"""The texts that the command `scorebook-bot` prints. Most functions yield lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from textwrap import wrap
from typing import Any
from urllib.parse import urljoin

from scorebook_games.analysis.betting import LIMIT
from scorebook_games.analysis.comparison import (
    ACCEPTED,
    REJECTED,
    ComparisonResult,
    ShareInterval,
    compare,
    interval_of,
)
from scorebook_games.bots.process import Fault
from scorebook_games.cli.check import CheckStep
from scorebook_games.cli.fields import Row
from scorebook_games.cli.look import Look
from scorebook_games.cli.players import Times
from scorebook_games.cli.series import Plan, Result, deal_means, deal_results, name_of, percentile
from scorebook_games.cli.table import Played
from scorebook_games.cli.tournament import Tournament
from scorebook_games.registry import KINDS
from scorebook_games.review import summary_text

OUTPUT_LINES = 12
STDERR = "  stderr    "  # how a line of a bot's output begins

MOST_FAULTS = 5
MARKS = {"done": "ok", "fault": "FAIL", "skipped": "–", "live": "…", "wait": "…"}
FINISHED = ("done", "fault", "skipped")  # states of a step that does not change any more


def progress(results: Sequence[Result], plan: Plan, games: int | None) -> str:
    """Return one line of progress of a series."""
    if games is not None:
        return f"game {len(results)} of {games}"
    found = compare(deal_results(results, plan.seats), plan.bounds)
    lost = sum(bool(result.played.fold.left) for result in results)
    forfeits = f"; {lost} games forfeited by faults" if lost else ""
    return f"{found.points.deals} deals: {interval(found.points)}; {grounds(found)}{forfeits}"


def grounds(found: ComparisonResult) -> str:
    """Return the evidence for both verdicts beside its limit."""
    now = found.test.evidence
    return f"evidence for accepted {now.better:.1f}, for rejected {now.worse:.1f} ({LIMIT:.0f} decides)"


def interval(found: ShareInterval) -> str:
    """Return a share in per cent with its interval."""
    return f"{100 * found.share:.1f} % ({100 * found.low:.1f}–{100 * found.high:.1f})"


def answer(name: str, opponents: str, found: ComparisonResult) -> str:
    """Return a sentence with the verdict of the test."""
    bounds = found.test.bounds
    better, worse = elo(bounds.elo1), elo(bounds.elo0)
    if found.test.verdict == ACCEPTED:
        return f"Accepted: {name} is better than {opponents} by more than {worse} Elo."
    if found.test.verdict == REJECTED:
        return f"Rejected: {name} is better than {opponents} by less than {better} Elo."
    if found.test.verdict:
        return f"Not decided in {found.points.deals} deals: better by {worse} or by {better} Elo."
    return f"Not decided yet: better by {worse} or by {better} Elo. Play more deals, or leave out --games."


def elo(points: int) -> str:
    """Return Elo points with their sign."""
    return f"{points:+}" if points else "0"


def table(name: str, plan: Plan, results: Sequence[Result], times: Times, clock: dict[str, int]) -> Iterator[str]:
    """Yield the table of a series, which has at least one whole deal."""
    seats, games = plan.seats, len(results)
    deals = f"{games // seats} deal{'s' if games > seats else ''}, each from {seats} seats"
    found = compare(deal_results(results, seats), plan.bounds)
    points = interval_of(deal_results(results, seats))
    wins = interval_of([(share,) * 2 for share in deal_means(results, seats, lambda each: each.win_share)])
    yield f"{name} against {plan.opponents}: {plan.kind}, {games} games ({deals})"
    yield ""
    yield f"answer          {answer(name, plan.opponents, found)}"
    yield f"test            {grounds(found)} after {found.points.deals} deals"
    yield f"points          {interval(points)}   even: 50.0 %"
    if KINDS[plan.kind].usable_value:
        with_luck = interval_of([(share,) * 2 for share in deal_means(results, seats, lambda each: each.points)])
        yield f"with luck       {interval(with_luck)}"
    yield f"wins            {interval(wins)}   even: {100 / seats:.1f} %"
    by_seat = [fmean(result.win_share for result in results if result.seat == seat) for seat in range(seats)]
    yield f"wins by seat    {' · '.join(f'{100 * wins:.1f} %' for wins in by_seat)}"
    mine = fmean(result.played.outcome.scores[result.seat] for result in results)
    theirs = fmean(
        (sum(result.played.outcome.scores) - result.played.outcome.scores[result.seat]) / (seats - 1)
        for result in results
    )
    best = results[0].played.fold.rules.spec.best
    yield f"mean score      {mine:.1f}, the others {theirs:.1f}; the {best} is best"
    yield ""
    yield f"{times.asks} asks        median     90 %     99 %     most"
    for title, values in (("wall clock, ms", times.wall), ("processor, ms", times.cpu)):
        figures = [percentile(values, percent) for percent in (50, 90, 99, 100)]
        yield f"{title:<15}" + "".join(f"{figure:9.2f}" for figure in figures)
    if unanswered := times.asks - len(times.wall):
        yield f"unanswered      {unanswered} of the asks"
    wall = f"{clock['move_ms']} ms a move and a bank of {clock['bank_ms']} ms"
    yield f"limits          {wall}; {clock['cpu_ms']} ms of processor a game"


def crosstable(tournament: Tournament) -> Iterator[str]:
    """Yield the table of a tournament, the strongest bot first, then the points of each against each other."""
    plan, names = tournament.plan, [name_of(entrant) for entrant in tournament.plan.entrants]
    deals = len(tournament.rounds)
    if not deals:
        yield "No deal was played at all tables, so there is no table."
        return
    fit, points = tournament.fit(), tournament.points()
    yield f"{plan.kind}: {len(names)} bots, {deals} deals, {len(tournament.games)} games"
    yield f"Every {plan.seats} of them play each deal from each seat."
    yield ""
    rows = [("place", "bot", "points", "strength", "games")]
    for each in fit.strengths:
        place = str(each.low) if each.decided else f"{each.low}–{each.high}"
        strength = f"{each.rating:.0f} ± {each.half:.0f}"
        rows.append((place, names[each.player], interval(points[each.player]), strength, str(each.games)))
    yield from columns(rows)
    yield ""
    yield "Points of each row against each column, in %; * marks a certain difference."
    order, pairs = [strength.player for strength in fit.strengths], tournament.pairs()
    grid = [("", *(names[entrant] for entrant in order))]
    for one in order:
        cells = ["–" if one == other else share(pairs[one, other]) for other in order]
        grid.append((names[one], *cells))
    yield from columns(grid)
    yield ""
    yield "The points' interval holds at every look. Strength is on Elo's scale, 1500 is the mean of these bots."
    if KINDS[plan.kind].usable_value:
        where = "Luck is" if plan.seats == 2 else "Except between two bots, luck is"
        yield f"{where} taken out of the points. Strength and places are computed with luck."
    yield "Both intervals hold with 95 %, and so do all places together. A draw is half a point."
    for entrant in tournament.taken_out:
        yield f"{names[entrant]} was taken out after {tournament.forfeits[entrant]} games forfeited by faults."


def share(found: ShareInterval) -> str:
    """Return a cell of the crosstable."""
    return f"{100 * found.share:.1f}{'*' if found.sure else ''}" if found.deals else "–"


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows of text as columns of equal width."""
    widths = [min(40, max(len(row[column]) for row in rows)) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def faults(played: Sequence[Played], command: Mapping[int, str], bots: Mapping[str, str]) -> Iterator[str]:
    """Yield the faults of a series in groups, the first ones in full.

    `command` has the command that shows a game again, by its number, and `bots` the arguments that name a bot.
    """
    found = [(game, failure) for game in played for failure in game.failures]
    if not found:
        yield "faults          none"
        return
    kinds = [failure.fault.kind for _, failure in found]
    counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    lost = sum(bool(game.fold.left) for game in played)
    yield f"faults          {len(found)}: {counted}; {lost} games forfeited by them"
    for game, failure in found[:MOST_FAULTS]:
        name = game.names[failure.seat]
        yield ""
        yield f"game {game.number}, seat {failure.seat} ({name}), event {failure.version}: {failure.fault}"
        yield from evidence(failure.fault)
        yield f"  instead   {failure.cost}"
        if game.number in command:
            bot = bots.get(name, "")
            yield f"  again     {command[game.number]} {bot} --seat {failure.seat} --to {failure.version}"


def evidence(fault: Fault) -> Iterator[str]:
    """Yield what is known of a fault besides its sentence."""
    for name in ("move", "clause", "legal"):
        if value := fault.evidence.get(name):
            yield f"  {name:<9} {value if isinstance(value, str) else ' · '.join(value)}"
    yield from output(fault.stderr.decode("utf-8", "replace"))


def output(stderr: str) -> Iterator[str]:
    """Yield the last lines of a bot's output, where a traceback stands, and how many there were before."""
    lines = stderr.rstrip().splitlines()
    if before := len(lines[:-OUTPUT_LINES]):
        yield f"{STDERR}[{before} {'line' if before == 1 else 'lines'} before]"
    for line in lines[-OUTPUT_LINES:]:
        yield f"{STDERR}{line}"


def step(each: CheckStep, shown: set[str]) -> Iterator[str]:
    """Yield one line for a step of a check, and the reason if it failed. Output that was `shown` before is not shown
    again."""
    yield f"{'ok  ' if each.ok else 'FAIL'}  {each.name:<26} {each.sentence}"
    if each.fault:
        lines = list(evidence(each.fault))
        printed = "\n".join(line for line in lines if line.startswith(STDERR))
        if printed and printed in shown:
            lines = [line for line in lines if not line.startswith(STDERR)] + [f"{STDERR}the same as above"]
        shown.add(printed)
        yield from lines


def answer_text(answer: list[str] | Fault) -> str:
    """Return what a bot would play, or its fault, as text."""
    return str(answer) if isinstance(answer, Fault) else ", ".join(answer)


def moment(each: Look, name: str) -> Iterator[str]:
    """Yield one moment in full: the position's legal moves, what was played, and what this version answers."""
    answer = each.says[0]
    yield f"after event {each.version}, seat {each.seat}"
    yield f"  legal     {' · '.join(each.legal)}"
    nothing = "nothing: it passed or failed, or another seat was first"
    yield f"  played    {', '.join(each.played or [nothing])}"
    same = each.played == answer
    yield f"  {name:<9} {answer_text(answer)}{'   (the same)' if same else ''}"
    if isinstance(answer, Fault):
        yield from evidence(answer)


def differences(found: Sequence[tuple[str, Look]], names: Sequence[str]) -> Iterator[str]:
    """Yield where two versions, or a version and what was played, differ.

    `found` has each moment with its game's name.
    """
    apart = [(game, each) for game, each in found if len({answer_text(answer) for answer in each.says}) > 1]
    alike = len(found) - len(apart)
    yield f"{len(found)} decisions: {alike} alike, {len(apart)} differ"
    for place, name in enumerate(names):
        agreed = sum(each.played == each.says[place] for _, each in found)
        yield f"{name} agrees with what was played in {agreed} of {len(found)}"
    if apart:
        yield ""
        rows = [("game", "event", "seat", "played", *names)]
        for game, each in apart:
            rows.append(
                (game, str(each.version), str(each.seat), ", ".join(each.played or []), *map(answer_text, each.says))
            )
        yield from columns(rows)


def fields(title: str, rows: Iterable[Row]) -> Iterator[str]:
    """Yield the fields of an observation with meanings and examples."""
    yield title
    for row in rows:
        yield f"  {row.field.path:<24} {row.field.type.replace('`', '')}"
        for line in wrap(row.field.meaning.replace("`", ""), 90):
            yield f"      {line}"
        if row.example:
            yield f"      Example: {row.example}"
    yield ""


# -- admission


def new_steps(state: Mapping[str, Any], printed: set[str]) -> Iterator[str]:
    """Yield the steps that are over and were not printed yet, and add them to `printed`."""
    for each in state.get("steps", []):
        if each.get("state") in FINISHED and each.get("name") not in printed:
            printed.add(each.get("name"))
            yield admission_step(each)


def open_step(state: Mapping[str, Any]) -> str:
    """Return the first step that goes on, or ""."""
    going = [each for each in state.get("steps", []) if each.get("state") not in FINISHED]
    going.sort(key=lambda each: each.get("state") != "live")
    return admission_step(going[0]) if going else ""


def admission_step(each: Mapping[str, Any]) -> str:
    """Return a line for one step of an admission: its state, what it is, its result and its seconds."""
    mark = MARKS.get(str(each.get("state")), str(each.get("state")))
    seconds = f"  ({each['seconds']} s)" if "seconds" in each else ""
    return f"  {mark:<5} {step_title(each):<32} {each.get('sentence', '')}{seconds}".rstrip()


def step_title(each: Mapping[str, Any]) -> str:
    """Return the title of a step: `Palace against strong` for a game, else its name."""
    name, kind, bot = str(each.get("name", "")).partition("/")[0], str(each.get("kind", "")), each.get("bot")
    title = KINDS[kind].spec.title if kind in KINDS else kind
    return f"{title} against {bot}" if bot else f"{name} at {title}" if kind else name


def admission(state: Mapping[str, Any], page: str) -> Iterator[str]:
    """Yield how an admission ended: what the bot wrote, where to read more, and the result."""
    fault = state.get("fault") or {}
    yield from output(str(fault.get("stderr", "")))
    if fault.get("page"):
        yield f"  position  {urljoin(page, fault['page'])}"
    sentences = {
        "passed": "The bot is admitted.",
        "refused": "The bot is refused.",
        "given_up": "The platform failed repeatedly and gave up. Start the admission again on the bot's page.",
    }
    yield sentences.get(str(state.get("state")), f"The admission is {state.get('state')}.")
    yield page


def review(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the JSON data of a review say: the summary, the curve at each tenth, and the mistakes."""
    yield from (f"  {sentence}" for sentence in summary_text(found))
    curve = found["curve"]
    shown = curve[:: max(1, len(curve) // 10)]
    if shown:
        yield f"  Chances are meant for players who all play on as the bot {found['policy'].title()} does."
        yield "  event     " + "".join(f"{point['version']:6}" for point in shown)
        chances = ("–" if point["chance"] is None else f"{100 * point['chance']:.0f}" for point in shown)
        yield "  chance, % " + "".join(f"{chance:>6}" for chance in chances)
    for each in found["mistakes"]:
        strong = f"; strong: {each['strong']}" if each["strong"] else ""
        cost = f"{100 * each['cost']:.1f} ± {100 * each['error']:.1f} points"
        yield f"  {each['event']:<9} {each['move']}, best: {each['best']}, costs {cost}{strong}"
        for name in ("best", "made") if each["line"] else ():
            line = each["line"][name]
            moves = ", ".join(f"{seat}: {move}" for seat, move in line["moves"])
            yield f"            {moves} … {'–'.join(map(str, line['scores']))}, then {100 * line['share']:.0f} %"
