"""What an admin does, each thing once: a registry of actions with three doors (the admin's confirm page, the API, the
command `admin_action`), an audit row for each that was done, and none without a reason.

An action is a short function around the domain function that exists already::

    @admin_action("abort_game", title=_("Abort the game"), target=Game)
    def abort_game(game: Game, *, reason: str, by: User) -> str:
        table.abort(game=game, reason=reason)
        return _("Game {game} was aborted.").format(game=game.public_id)

It returns a sentence for the audit, or raises the project's own errors (`DomainError`); then nothing was
done. What it is asked for besides is declared as form fields, and reaches it as clean keyword arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django import forms
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection, transaction
from django.db.models import Model
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from games.admin_actions.models import AdminAction
from games.common import clock
from games.common.errors import DomainError

REASON_MAX_LENGTH: Final = 2000
KEY_MAX_LENGTH: Final = 64
HASH_PREFIX: Final = "hmac:"  # begins what the audit keeps of a name or an address
SITE_PERMISSION: Final = "admin_actions.add_adminaction"  # the permission for what concerns the platform as a whole

LazyText = str | Promise
ActionFunction = Callable[..., str]


@dataclass(frozen=True)
class TargetKind:
    """How rows of a model are named by people: `find_target` raises where there is none, `name` is its inverse. `kept`
    is how the audit names them, which is never changed: people by id."""

    code: str
    model: type[Model]
    find: Callable[[str], Any]
    name: Callable[[Any], str]
    kept: Callable[[Any], str]


@dataclass(frozen=True)
class Action:
    """Something that an admin may do to a `target`, or to the platform where that is None.

    `private` are the fields that hold a person's name or address, of which the audit keeps a hash.
    `fits` says whether there is anything to do; `help` what follows from it, for whoever decides; `stop` marks what
    cannot be taken back; `permission` is Django's.
    """

    code: str
    title: LazyText
    target: TargetKind | None
    act: ActionFunction
    help: LazyText = ""
    fields: Mapping[str, forms.Field] = field(default_factory=dict)
    fits: Callable[[Any], bool] = lambda _row: True
    permission: str = SITE_PERMISSION
    stop: bool = False
    private: Collection[str] = ()

    @property
    def target_type(self) -> str:
        return self.target.code if self.target else ""

    def form(self, data: Mapping[str, Any] | None = None, **options: Any) -> forms.Form:
        """The form of what it asks for besides the reason."""
        made: type[forms.Form] = type("Fields", (forms.Form,), dict(self.fields))
        return made(data, **options)


_targets: dict[type[Model], TargetKind] = {}
_actions: dict[str, Action] = {}


def admin_target(
    code: str,
    model: type[Model],
    *,
    find: Callable[[str], Any],
    name: Callable[[Any], str],
    kept: Callable[[Any], str] | None = None,
) -> None:
    """Let actions have rows of `model` for their target. `find_target` may raise the model's DoesNotExist, or
    ValueError. The audit names them by `name`, unless `kept` is given."""
    _targets[model] = TargetKind(code, model, find, name, kept or name)


def admin_action(
    code: str,
    *,
    title: LazyText,
    target: type[Model] | None = None,
    help: LazyText = "",
    fields: Mapping[str, forms.Field] | None = None,
    fits: Callable[[Any], bool] = lambda _row: True,
    permission: str = "",
    stop: bool = False,
    private: Collection[str] = (),
) -> Callable[[ActionFunction], ActionFunction]:
    """Register a function as an action, by default for whoever may change rows of its target in the admin."""

    def register(act: ActionFunction) -> ActionFunction:
        kind = _targets[target] if target else None
        assert code not in _actions, f"Two actions have the code {code}."
        needed = permission or (
            f"{target._meta.app_label}.change_{target._meta.model_name}" if target else SITE_PERMISSION
        )
        _actions[code] = Action(code, title, kind, act, help, dict(fields or {}), fits, needed, stop, private)
        return act

    return register


def every_action() -> list[Action]:
    """All that are registered, by code."""
    return [_actions[code] for code in sorted(_actions)]


def find_action(code: str) -> Action:
    """The action of that code. Raises `DomainError` unknown_action (404)."""
    try:
        return _actions[code]
    except KeyError:
        sentence = _("There is no action {code}. The actions are {known}.")
        sentence = sentence.format(code=code, known=", ".join(sorted(_actions)))
        raise DomainError(404, "unknown_action", sentence) from None


def actions_for(row: Model | None, user: User | AnonymousUser | AbstractBaseUser) -> list[Action]:
    """What `user` may do now to `row`, or to the platform."""
    wanted = type(row) if row is not None else None
    of = [each for each in every_action() if (each.target.model if each.target else None) is wanted]
    return [each for each in of if is_permitted(each, user) and each.fits(row)]


def links(row: Model | None, user: Any) -> list[tuple[str, str]]:
    """(address, title) of the confirm page of each action that `user` may do to `row` now."""
    return addresses(actions_for(row, user), row)


def addresses(actions: Sequence[Action], row: Model | None) -> list[tuple[str, str]]:
    """(address, title) of the confirm page of each of these for `row`."""
    path = [name_of(row)] if actions and row is not None else []
    return [(reverse("admin-do", args=[each.code, *path]), str(each.title)) for each in actions]


def name_of(row: Model) -> str:
    """How people name it: what `perform` takes as its target."""
    return _targets[type(row)].name(row)


def is_permitted(action: Action, user: Any) -> bool:
    """Whether `user` is an admin to whom the action is given."""
    return bool(user.is_active and user.is_staff and user.has_perm(action.permission))


def find_target(action: Action, target: str) -> Any:
    """The row that `target` names; None for the platform. Raises `DomainError` no_target (404)."""
    if action.target is None:
        return None
    try:
        if "\0" in target:  # which no row of a database has in its name
            raise ValueError(target)
        return action.target.find(target)
    except (ObjectDoesNotExist, ValueError) as missing:
        sentence = _("There is no {what} “{target}”.").format(what=action.target.code, target=target)
        raise DomainError(404, "no_target", sentence) from missing


def perform(code: str, target: str | Model = "", *, reason: str, by: Any, key: str = "", **fields: Any) -> AdminAction:
    """`perform_sent`, with what the action asks for besides as arguments."""
    return perform_sent(code, target, reason=reason, by=by, key=key, fields=fields)


def perform_sent(
    code: str, target: str | Model, *, reason: str, by: Any, key: str, fields: Mapping[str, Any]
) -> AdminAction:
    """Do it and write it down, both or neither; with a `key` that `by` has used before, what came of it then. `fields`
    may be called anything: they are as somebody sent them.

    Raises `DomainError`: not_admin (403), unknown_action, no_target (404), no_reason, bad_key, bad_fields (400),
    key_reused (409), and whatever the action does.
    """
    action = find_action(code)
    if not is_permitted(action, by):
        raise DomainError(403, "not_admin", _("You do not have the right to do this."))
    reason = checked_reason(reason)
    named = target if isinstance(target, str) else name_of(target)
    kept = _audited_fields(action, fields)
    with transaction.atomic():
        if key and (earlier := _done_before(action, named, by, key, kept)):
            return earlier
        row = find_target(action, named)
        called = action.target.kept(row) if action.target else ""  # before it may be called otherwise
        outcome = action.act(row, reason=reason, by=by, **clean_fields(action, fields))
        return write_down(
            by=by,
            action=action.code,
            target_type=action.target_type,
            target_id=called,
            fields=kept,
            reason=reason,
            outcome=outcome,
            key=key,
        )


def write_down(*, by: Any, action: str, reason: str, outcome: str, **facts: Any) -> AdminAction:
    """A row of the audit: what `by` has done now, why, and what came of it."""
    return AdminAction.objects.create(at=clock.now(), by=by, action=action, reason=reason, outcome=outcome, **facts)


def checked_reason(reason: str) -> str:
    """`reason` as it is kept. Raises `DomainError` no_reason (400)."""
    reason = reason.replace("\0", "").strip()
    if not reason or len(reason) > REASON_MAX_LENGTH:
        sentence = _("Give a reason of 1 to {most} characters. It is kept in the log.")
        raise DomainError(400, "no_reason", sentence.format(most=REASON_MAX_LENGTH), fields={"reason": [sentence]})
    return reason


def clean_fields(action: Action, fields: Mapping[str, Any]) -> dict[str, Any]:
    """What the action asks for besides, as its form reads it. Raises `DomainError` bad_fields (400)."""
    unknown = sorted(set(fields) - set(action.fields))
    if unknown:
        sentence = _("{action} has no field {name}.").format(action=action.code, name=unknown[0])
        raise DomainError(400, "bad_fields", sentence, fields={unknown[0]: [sentence]})
    form = action.form(fields)
    if not form.is_valid():
        wrong = {name: [str(each) for each in errors] for name, errors in form.errors.items()}
        name, sentences = next(iter(wrong.items()))
        raise DomainError(400, "bad_fields", f"{name}: {' '.join(sentences)}", fields=wrong)
    return form.cleaned_data


def _done_before(action: Action, named: str, by: Any, key: str, fields: Mapping[str, str]) -> AdminAction | None:
    """What `by` did with that key; who comes at the same time waits here for who came first."""
    if len(key) > KEY_MAX_LENGTH:
        sentence = _("A key may have at most {most} characters.").format(most=KEY_MAX_LENGTH)
        raise DomainError(400, "bad_key", sentence)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 7))", [f"admin {by.pk} {key}"])
    earlier = AdminAction.objects.filter(by=by, key=key).first()
    if earlier and (earlier.action != action.code or not _same(action, earlier, named, fields)):
        raise DomainError(409, "key_reused", _("This idempotency key was used for another request. Use a new key."))
    return earlier


def _audited_fields(action: Action, fields: Mapping[str, Any]) -> dict[str, str]:
    """What the audit keeps of what was sent."""
    sent = {name: str(value) for name, value in fields.items() if value not in ("", None)}
    return {name: _hash(value) if name in action.private else value for name, value in sent.items()}


def _hash(value: str) -> str:
    """By which the platform tells whether the same was sent again, and nobody else what it was."""
    return HASH_PREFIX + salted_hmac("games.admin_actions.registry", value, algorithm="sha256").hexdigest()[:32]


def _same(action: Action, earlier: AdminAction, named: str, fields: Mapping[str, str]) -> bool:
    """Whether the same was asked for then: one thing may be named in several ways, who is gone has no name."""
    if earlier.fields != fields:
        return False
    if action.target is None or earlier.target_id.lower() == named.lower():
        return True
    try:
        return action.target.kept(find_target(action, named)) == earlier.target_id
    except DomainError:
        return action.target.kept is not action.target.name
