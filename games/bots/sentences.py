"""The sentences of trials, of why versions were refused, and of incidents in trials."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.play import endings
from scorebook_games.presentation.coded_text import Sentence, sentence
from scorebook_games.registry import KINDS

# Trials, as a part of other sentences; a version is named as “Gannet v1”


@sentence
def admission_of(version: str) -> str:
    return _("admission of {version}").format(version=version)


@sentence
def comparison_of(version: str, number: int) -> str:
    """`number`: of the version that it is compared with."""
    return _("comparison of {version} with v{number}").format(version=version, number=number)


# Incidents


@sentence
def trial_interrupted(what: Sentence, rest: int) -> str:
    """`rest`: until the next attempt, in seconds."""
    return _("The {what} cannot continue. The next attempt is in {rest} s.").format(what=what, rest=rest)


@sentence
def trial_given_up(what: Sentence, game: Sentence | None) -> str:
    """`game`: the game that failed, if it was one."""
    words = _("The {what} was given up because the platform failed repeatedly. {why} The author can start it again.")
    return " ".join(words.format(what=what, why=game or "").split())


@sentence
def game_failed(game: str, failures: int, event: int) -> str:
    words = _("Game {game} failed {failures} times at event {event}.")
    return words.format(game=game, failures=failures, event=event)


# Steps of admission


@sentence
def file_read(lines: int, size: int) -> str:
    """`size` in bytes."""
    words = ngettext(
        "One text file with {lines} line, {size} bytes.", "One text file with {lines} lines, {size} bytes.", lines
    )
    return words.format(lines=lines, size=number_format(size, force_grouping=True))


@sentence
def start_ready(kinds: Sequence[str]) -> str:
    titles = ", ".join(_title(kind) for kind in kinds)
    return _("The bot starts in the sandbox and is ready. It plays {titles}.").format(titles=titles)


@sentence
def kinds_unknown(unknown: Sequence[str], kinds: Sequence[str]) -> str:
    """`kinds`: those that there were."""
    words = _("The bot says that it plays {unknown}, which does not exist. The kinds are {kinds}.")
    return words.format(unknown=", ".join(unknown), kinds=", ".join(kinds))


@sentence
def game_later() -> str:
    return _("After that.")


@sentence
def game_not_played() -> str:
    return _("Not played.")


@sentence
def game_going_on(events: int) -> str:
    return _("Playing: {n} events so far.").format(n=events)


@sentence
def game_interrupted() -> str:
    return _("The platform failed, not the bot. The game is tried again.")


@sentence
def game_won(mine: float, theirs: float, how: str) -> str:
    """`how`: the termination of the game."""
    if label := endings.termination_label(how):
        return _("Won {how}.").format(how=label)
    return _("Won {mine} to {theirs}.").format(mine=mine, theirs=theirs)


@sentence
def game_lost(mine: float, theirs: float, how: str) -> str:
    """`how`: the termination of the game."""
    if label := endings.termination_label(how):
        return _("Lost {how}.").format(how=label)
    return _("Lost {mine} to {theirs}.").format(mine=mine, theirs=theirs)


@sentence
def game_drawn(mine: float, theirs: float) -> str:
    return _("Drawn {mine} to {theirs}.").format(mine=mine, theirs=theirs)


@sentence
def never_asked() -> str:
    return _("The bot never had a choice, so it was not asked for a move.")


@sentence
def response_times(answers: int, half: float, most: float, worst: float, limit: int) -> str:
    """The times in ms: the median, that of 99 percent, the longest, and the limit."""
    words = _(
        "{n} answers: 50 % within {half} ms, 99 % within {most} ms, the slowest {worst} ms. The limit is {limit} ms."
    )
    return words.format(
        n=answers,
        half=milliseconds_text(half),
        most=milliseconds_text(most),
        worst=milliseconds_text(worst),
        limit=limit,
    )


@sentence
def rating_going_on(played: int, games: int) -> str:
    return _("{played} of {games} games played against built-in bots.").format(played=played, games=games)


@sentence
def first_rating(rating: int, half: int, games: int) -> str:
    """`half`: of the interval."""
    words = _("{rating} ± {half} after {n} games against built-in bots.")
    return words.format(rating=rating, half=half, n=games)


# Steps of a comparison


@sentence
def no_game_finished() -> str:
    return _("No game has finished yet.")


@sentence
def share_of_points(share: int, low: int, high: int, deals: int) -> str:
    """The shares in percent."""
    words = _("{share} % of the points (95 % interval {low} to {high}) after {n} deals, each played from both seats.")
    return words.format(share=share, low=low, high=high, n=deals)


@sentence
def luck_taken_out(share: int) -> str:
    """The share of the points with luck, in percent."""
    return _("Luck is taken out of the results; with it, the share is {share} %.").format(share=share)


@sentence
def deals_going_on(over: int, games: int) -> str:
    return _("{over} of {games} games of the current deals have finished.").format(over=over, games=games)


# Why a version was refused or is retired


@sentence
def refused_in_game(kind: str, bot: str, event: int) -> str:
    """The sentences of the fault follow."""
    words = _("Game of {title} against {bot}, event {n}:")
    return words.format(title=_title(kind), bot=bot.capitalize(), n=event)


@sentence
def account_deleted() -> str:
    return _("The author’s account was deleted.")


# Parts of sentences


def milliseconds_text(ms: float) -> str:
    """Return milliseconds in a readable form."""
    places = 0 if ms >= 10 else 1
    return number_format(round(ms, places), decimal_pos=places)  # which by itself cuts off what does not fit


def _title(kind: str) -> str:
    return KINDS[kind].spec.title if kind in KINDS else kind
