"""What the kit prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from games.bots.sdk.check import CheckStep
from games.bots.sdk.look import Look
from games.bots.sdk.players import Times
from games.bots.sdk.process import Fault
from games.bots.sdk.series import Plan, Result, percentile, share

MOST_FAULTS = 5


def table(name: str, plan: Plan, results: Sequence[Result], times: Times, clock: dict[str, int]) -> Iterator[str]:
    """What a series came to; it has at least one whole deal."""
    seats, games = plan.seats, len(results)
    deals = f"{games // seats} deal{'s' if games > seats else ''}, each from {seats} seats"
    yield f"{name} against {', '.join(plan.against)}: {plan.kind}, {games} games ({deals})"
    yield ""
    yield f"wins            {share(results, seats, lambda each: each.win_share)}   even: {100 / seats:.1f} %"
    yield f"placing share   {share(results, seats, lambda each: each.placing_share)}   even: 50.0 %"
    by_seat = [fmean(each.win_share for each in results if each.seat == seat) for seat in range(seats)]
    yield f"wins by seat    {' · '.join(f'{100 * wins:.1f} %' for wins in by_seat)}"
    mine = fmean(each.played.outcome.scores[each.seat] for each in results)
    theirs = fmean(
        (sum(each.played.outcome.scores) - each.played.outcome.scores[each.seat]) / (seats - 1) for each in results
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


def faults(results: Sequence[Result], command: dict[int, str]) -> Iterator[str]:
    """What failed, grouped, and the first of them whole; `command` by a game's number is how to see it again."""
    found = [(each, failure) for each in results for failure in each.played.failures]
    if not found:
        yield "faults          none"
        return
    kinds = [failure.fault.kind for _, failure in found]
    counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    lost = sum(each.forfeited for each in results)
    yield f"faults          {len(found)}: {counted}; {lost} games forfeited by them"
    for each, failure in found[:MOST_FAULTS]:
        yield ""
        yield f"game {each.played.number}, seat {failure.seat}, event {failure.version}: {failure.fault}"
        yield from evidence(failure.fault)
        yield f"  instead   {failure.cost}"
        if each.played.number in command:
            yield f"  again     {command[each.played.number]} --seat {failure.seat} --to {failure.version}"


def evidence(fault: Fault) -> Iterator[str]:
    """What is known of a fault besides its sentence."""
    for name in ("move", "clause", "legal"):
        if value := fault.evidence.get(name):
            yield f"  {name:<9} {value if isinstance(value, str) else ' · '.join(value)}"
    lines = fault.stderr.decode("utf-8", "replace").rstrip().splitlines()
    for line in lines[-12:]:
        yield f"  stderr    {line}"


def step(each: CheckStep) -> Iterator[str]:
    """One line of a check, and why it failed."""
    yield f"{'ok  ' if each.ok else 'FAIL'}  {each.name:<26} {each.said}"
    if each.fault:
        yield from evidence(each.fault)


def said(answer: list[str] | Fault) -> str:
    """What a bot would do."""
    return str(answer) if isinstance(answer, Fault) else ", ".join(answer)


def moment(each: Look, name: str) -> Iterator[str]:
    """One moment in full: the position's legal moves, what was played and what this version says."""
    answer = each.says[0]
    yield f"after event {each.version}, seat {each.seat}"
    yield f"  legal     {' · '.join(each.legal)}"
    nothing = "nothing: it passed or failed, or another seat was first"
    yield f"  played    {', '.join(each.played or [nothing])}"
    same = each.played == answer
    yield f"  {name:<9} {said(answer)}{'   (the same)' if same else ''}"
    if isinstance(answer, Fault):
        yield from evidence(answer)


def differences(found: Sequence[tuple[str, Look]], names: Sequence[str]) -> Iterator[str]:
    """Where two versions, or a version and what was played, are of different minds; `found` with each game's name."""
    apart = [(game, each) for game, each in found if len({said(answer) for answer in each.says}) > 1]
    alike = len(found) - len(apart)
    yield f"{len(found)} decisions: {alike} alike, {len(apart)} differ"
    for place, name in enumerate(names):
        agreed = sum(each.played == each.says[place] for _, each in found)
        yield f"{name} agrees with what was played in {agreed} of {len(found)}"
    if apart:
        yield ""
        rows = [("game", "event", "seat", "played", *names)]
        for game, each in apart:
            rows.append((game, str(each.version), str(each.seat), ", ".join(each.played or []), *map(said, each.says)))
        widths = [min(40, max(len(row[column]) for row in rows)) for column in range(len(rows[0]))]
        for row in rows:
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
