"""Actions of admins on games, bots, workers, mail and sign-up. They call the services of play.

See `games.admin_actions.registry`.
"""

from __future__ import annotations

from contextlib import suppress

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.accounts import mail, people, signup_switch
from games.accounts.models import Notice
from games.admin_actions.registry import Facts, admin_action, admin_target
from games.bots.admission import notifications as author_notifications
from games.bots.admission import trials
from games.common import clock
from games.common.errors import DomainError
from games.models import Bot, BotVersion, Game, Trial
from games.play import faults
from games.play import services as play
from games.workers import leases
from games.workers.models import Worker
from scorebook_games.presentation.coded_text import written


def _version(named: str) -> BotVersion:
    """Return the version that a text such as "Gannet v2" names. A bot's name may have spaces."""
    bot, _space, number = named.rpartition(" v")
    return BotVersion.objects.select_related("bot").get(bot__name=bot, number=int(number))


admin_target(
    "game", Game, find=lambda named: Game.objects.get(public_id=named.upper()), name=lambda game: game.public_id
)
admin_target("bot", Bot, find=lambda named: Bot.objects.get(name=named), name=lambda bot: bot.name)
admin_target("bot-version", BotVersion, find=_version, name=str)
admin_target(
    "person",
    User,
    find=lambda named: User.objects.get(username=people.login_name(named)),
    name=lambda user: user.username,
    kept=lambda user: str(user.pk),
)
admin_target(
    "trial",
    Trial,
    find=lambda named: Trial.objects.select_related("version__bot", "against__bot").get(pk=int(named)),
    name=lambda trial: str(trial.pk),
)
admin_target("worker", Worker, find=lambda named: Worker.objects.get(name=named), name=lambda worker: worker.name)
admin_target("mail", Notice, find=lambda named: Notice.objects.get(pk=int(named)), name=lambda notice: str(notice.pk))


def _is_on(game: Game) -> bool:
    return game.status == Game.Status.PLAYING


@admin_action(
    "retry",
    title=gettext_lazy("Try again"),
    target=Game,
    help=gettext_lazy("Workers try the game again immediately, with as many attempts as for a new game."),
    fits=lambda game: _is_on(game) and (game.failures > 0 or game.retry_at is not None),
    done=gettext_lazy("Workers will try game {game} again."),
)
def retry(game: Game, *, reason: str, by: User) -> Facts:  # noqa: ARG001  the audit keeps both
    """Raises `DomainError` game_over, not_failed (409)."""
    play.retry_game(game=game)
    return {"game": game.public_id}


@admin_action(
    "release_lease",
    title=gettext_lazy("Release lease"),
    target=Game,
    help=gettext_lazy(
        "The present worker can no longer write to the game. Another worker continues from its log. Nothing is lost."
    ),
    fits=lambda game: _is_on(game) and bool(game.leased_by),
    done=gettext_lazy("Worker {worker} no longer has game {game}."),
)
def release_lease(game: Game, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises `DomainError` no_lease (409)."""
    worker = leases.revoke_lease(game)
    return {"worker": worker, "game": game.public_id}


@admin_action(
    "abort_game",
    title=gettext_lazy("Abort game"),
    target=Game,
    help=gettext_lazy(
        "The game ends immediately, without a result, and is not rated. Its players are notified. A "
        "league plays it again with the same seats. If a bot cannot play, adjudicate the game on its "
        "match’s page instead, or withdraw the bot from the season."
    ),
    fits=_is_on,
    stop=True,
    done=gettext_lazy("Game {game} was aborted."),
)
def abort_game(game: Game, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises `DomainError` game_over (409)."""
    play.abort_game(game=game, reason=reason)
    return {"game": game.public_id}


# -- bots


@admin_action(
    "quarantine",
    title=gettext_lazy("Quarantine"),
    target=BotVersion,
    help=gettext_lazy(
        "The version begins no new games and enters no seasons. Each season handles its matches as its "
        "settings say. Its author is notified and sees the reason."
    ),
    fits=lambda version: version.may_play,
    stop=True,
    done=gettext_lazy("{version} is now in quarantine."),
)
def quarantine(version: BotVersion, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises `DomainError` not_playing (409)."""
    if not faults.quarantine_version(version.pk, written(reason)):
        sentence = _("{version} cannot play: it is {state}.").format(version=version, state=version.get_state_display())
        raise DomainError(409, "not_playing", sentence)
    author_notifications.notify_quarantines()
    return {"version": str(version)}


@admin_action(
    "unquarantine",
    title=gettext_lazy("End quarantine"),
    target=BotVersion,
    help=gettext_lazy("The version may play again immediately. Its author is notified."),
    fits=lambda version: version.state == BotVersion.State.QUARANTINED,
    done=gettext_lazy("{version} may play again."),
)
def unquarantine(version: BotVersion, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises `DomainError` not_quarantined (409)."""
    if not author_notifications.end_quarantine(version):
        raise DomainError(409, "not_quarantined", _("{version} is not in quarantine.").format(version=version))
    return {"version": str(version)}


@admin_action(
    "run_again",
    title=gettext_lazy("Run again"),
    target=Trial,
    help=gettext_lazy("Starts an admission or comparison again that the platform gave up."),
    fits=lambda trial: trial.state == Trial.State.GIVEN_UP,
    done=gettext_lazy("The {what} starts again."),
)
def run_again(trial: Trial, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises as `restart_trial` does."""
    trials.restart_trial(trial)
    return {"what": trials.title_of(trial)}


# -- workers


def _leases_released(worker: str, n: int) -> str:
    words = ngettext("Worker {worker} no longer has {n} game.", "Worker {worker} no longer has {n} games.", n)
    return words.format(worker=worker, n=n)


@admin_action(
    "release_leases",
    done=_leases_released,
    title=gettext_lazy("Release all leases"),
    target=Worker,
    help=gettext_lazy(
        "Other workers continue all its games immediately. Nothing is lost, even if the worker is still running."
    ),
    fits=lambda worker: worker.heartbeat_at < clock.now() - leases.HEARTBEAT_TIMEOUT,
)
def release_leases(worker: Worker, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises `DomainError` no_lease (409)."""
    leased = Game.objects.filter(leased_by=worker.name, status=Game.Status.PLAYING)
    released = 0
    for game in leased:
        with suppress(DomainError):  # the worker released it a moment ago
            leases.revoke_lease(game)
            released += 1
    if not released:
        raise DomainError(409, "no_lease", _("Worker {worker} has no games.").format(worker=worker))
    return {"worker": worker.name, "n": released}


# -- mail


@admin_action(
    "resend_mail",
    title=gettext_lazy("Send now"),
    target=Notice,
    help=gettext_lazy("The email is sent immediately. If its state is “uncertain”, it may arrive twice."),
    fits=lambda notice: notice.send_state in mail.NOTICE_MAILS.resendable,
    done=gettext_lazy("Email {number} is being sent."),
)
def resend_mail(notice: Notice, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises `DomainError` not_unsent (409)."""
    mail.NOTICE_MAILS.resend(notice)
    return {"number": notice.pk}


def _mails_sent(n: int) -> str:
    return ngettext("{n} email is being sent.", "{n} emails are being sent.", n).format(n=n)


@admin_action(
    "try_mails",
    done=_mails_sent,
    title=gettext_lazy("Send all emails now"),
    help=gettext_lazy(
        "Sends all emails that wait for the mail server or were given up within a week, but none whose "
        "state is “uncertain”."
    ),
)
def try_mails(target: None, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    count = mail.NOTICE_MAILS.retry_all_now()
    return {"n": count}


# -- the platform


@admin_action(
    "close_signup",
    title=gettext_lazy("Close sign-up"),
    help=gettext_lazy("Nobody can create an account, and guests cannot keep theirs, until sign-up is opened again."),
    fields={
        "words": forms.CharField(
            label=gettext_lazy("Text for the sign-up page"),
            max_length=500,
            help_text=gettext_lazy("Everybody can read this text. Only admins see the reason below."),
        )
    },
    fits=lambda _target: signup_switch.site_closed_to_signup() is None,
    stop=True,
    done=gettext_lazy("Sign-up is closed."),
)
def close_signup(target: None, *, reason: str, by: User, words: str) -> Facts:  # noqa: ARG001
    """Raises `DomainError` signup_closed (409)."""
    signup_switch.close_signup(words=words)
    return {}


@admin_action(
    "open_signup",
    title=gettext_lazy("Open sign-up"),
    help=gettext_lazy("Everybody can create an account again."),
    fits=lambda _target: signup_switch.site_closed_to_signup() is not None,
    done=gettext_lazy("Sign-up is open."),
)
def open_signup(target: None, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises `DomainError` signup_open (409)."""
    signup_switch.open_signup()
    return {}
