"""A registry of the admins' actions. Each can be called from the admin's confirmation page, the API and a command.

The command is `admin_action`. Every action leaves a row in the audit log, and none is done without a reason. An action
is a short function around an existing service::

    @admin_action("abort_game", title=_("Abort the game"), target=Game, done=_("Game {game} was aborted."))
    def abort_game(game: Game, *, reason: str, by: User) -> Facts:
        play.abort_game(game=game, reason=reason)
        return {"game": game.public_id}

It returns what its sentence `done` in the audit log names, or raises `DomainError`, and then nothing was done. Further
inputs are declared as form fields, and reach it as clean keyword arguments.
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
from scorebook_games.presentation.coded_text import Sentence, define, plain

REASON_MAX_LENGTH: Final = 2000
KEY_MAX_LENGTH: Final = 64
HASH_PREFIX: Final = "hmac:"  # begins what the audit log keeps of a name or an address
SITE_PERMISSION: Final = "admin_actions.add_adminaction"  # the permission for actions on the platform as a whole

LazyText = str | Promise
Facts = Mapping[str, Any]  # the parameters of the sentence that says what was done
ActionFunction = Callable[..., Facts]


@dataclass(frozen=True)
class TargetKind:
    """How people name the rows of a model.

    `find_target` returns a row and raises if there is none; `name` is its inverse. `kept` is how the audit log names
    them, which never changes: people by id.
    """

    code: str
    model: type[Model]
    find: Callable[[str], Any]
    name: Callable[[Any], str]
    kept: Callable[[Any], str]


@dataclass(frozen=True)
class Action:
    """Something that an admin may do to a `target`, or to the platform if that is None.

    - `done`: what the audit log says of it, with names for the facts that `act` returns, or a function of these.
    - `private`: the fields that hold a person's name or address, of which the audit log keeps a hash.
    - `fits`: whether there is anything to do.
    - `help`: what follows, for the admin who decides.
    - `stop`: marks what cannot be undone.
    - `permission`: Django's permission for it.
    """

    code: str
    title: LazyText
    target: TargetKind | None
    act: ActionFunction
    done: LazyText | Callable[..., str]
    help: LazyText = ""
    fields: Mapping[str, forms.Field] = field(default_factory=dict)
    fits: Callable[[Any], bool] = lambda _row: True
    permission: str = SITE_PERMISSION
    stop: bool = False
    private: Collection[str] = ()

    @property
    def target_type(self) -> str:
        return self.target.code if self.target else ""

    @property
    def sentence(self) -> str:
        """The code of the sentence `done`, which is for ever."""
        return f"{self.code}_done"

    def words(self, **facts: Any) -> str:
        """Return the sentence `done` in the reader's language."""
        return str(self.done).format(**facts) if isinstance(self.done, LazyText) else self.done(**facts)

    def form(self, data: Mapping[str, Any] | None = None, **options: Any) -> forms.Form:
        """Return the form of its inputs besides the reason."""
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
    """Let actions have rows of `model` as their target.

    `find_target` may raise the model's DoesNotExist, or ValueError. The audit log names rows by `name`, unless `kept`
    is given.
    """
    _targets[model] = TargetKind(code, model, find, name, kept or name)


def admin_action(
    code: str,
    *,
    title: LazyText,
    done: LazyText | Callable[..., str],
    target: type[Model] | None = None,
    help: LazyText = "",
    fields: Mapping[str, forms.Field] | None = None,
    fits: Callable[[Any], bool] = lambda _row: True,
    permission: str = "",
    stop: bool = False,
    private: Collection[str] = (),
) -> Callable[[ActionFunction], ActionFunction]:
    """Register a function as an action, by default for admins who may change rows of its target."""

    def register(act: ActionFunction) -> ActionFunction:
        kind = _targets[target] if target else None
        assert code not in _actions, f"Two actions have the code {code}."
        needed = permission or (
            f"{target._meta.app_label}.change_{target._meta.model_name}" if target else SITE_PERMISSION
        )
        made = Action(code, title, kind, act, done, help, dict(fields or {}), fits, needed, stop, private)
        _actions[code] = made
        define(made.sentence, made.words)
        return act

    return register


def every_action() -> list[Action]:
    """Return all registered actions, by code."""
    return [_actions[code] for code in sorted(_actions)]


def find_action(code: str) -> Action:
    """Return the action with this code. Raises `DomainError` unknown_action (404)."""
    try:
        return _actions[code]
    except KeyError:
        sentence = _("There is no action {code}. The actions are {known}.")
        sentence = sentence.format(code=code, known=", ".join(sorted(_actions)))
        raise DomainError(404, "unknown_action", sentence) from None


def actions_for(row: Model | None, user: User | AnonymousUser | AbstractBaseUser) -> list[Action]:
    """Return what `user` may do now to `row`, or to the platform."""
    wanted = type(row) if row is not None else None
    of = [each for each in every_action() if (each.target.model if each.target else None) is wanted]
    return [each for each in of if is_permitted(each, user) and each.fits(row)]


def links(row: Model | None, user: Any) -> list[tuple[str, str]]:
    """Return (address, title) of the confirmation page of each action that `user` may do to `row` now."""
    return addresses(actions_for(row, user), row)


def addresses(actions: Sequence[Action], row: Model | None) -> list[tuple[str, str]]:
    """Return (address, title) of the confirmation page of each of these actions for `row`."""
    path = [name_of(row)] if actions and row is not None else []
    return [(reverse("admin-do", args=[action.code, *path]), str(action.title)) for action in actions]


def name_of(row: Model) -> str:
    """Return the name of a row, which `perform` takes as its target."""
    return _targets[type(row)].name(row)


def is_permitted(action: Action, user: Any) -> bool:
    """Return whether `user` is an admin with the permission for the action."""
    return bool(user.is_active and user.is_staff and user.has_perm(action.permission))


def find_target(action: Action, target: str) -> Any:
    """Return the row that `target` names; None for the platform. Raises `DomainError` no_target (404)."""
    if action.target is None:
        return None
    try:
        if "\0" in target:  # a NUL, which no text in the database can have
            raise ValueError(target)
        return action.target.find(target)
    except (ObjectDoesNotExist, ValueError) as missing:
        sentence = _("There is no {what} “{target}”.").format(what=action.target.code, target=target)
        raise DomainError(404, "no_target", sentence) from missing


def perform(code: str, target: str | Model = "", *, reason: str, by: Any, key: str = "", **fields: Any) -> AdminAction:
    """Do `perform_sent` with the action's inputs as arguments."""
    return perform_sent(code, target, reason=reason, by=by, key=key, fields=fields)


def perform_sent(
    code: str, target: str | Model, *, reason: str, by: Any, key: str, fields: Mapping[str, Any]
) -> AdminAction:
    """Do the action and record it, both or neither. A `key` that `by` has used before returns the earlier outcome.

    `fields` are the inputs as they were sent, under any names. Raises `DomainError`: not_admin (403), unknown_action,
    no_target (404), no_reason, bad_key, bad_fields (400), key_reused (409), and whatever the action raises.
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
        called = action.target.kept(row) if action.target else ""  # before the action may rename it
        facts = action.act(row, reason=reason, by=by, **clean_fields(action, fields))
        return write_down(
            by=by,
            action=action.code,
            target_type=action.target_type,
            target_id=called,
            fields=kept,
            reason=reason,
            sentence=Sentence(action.sentence, facts),
            key=key,
        )


def write_down(*, by: Any, action: str, reason: str, sentence: Sentence, **facts: Any) -> AdminAction:
    """Store in the audit log what `by` has done, why, and the outcome."""
    sentences = plain([sentence])
    return AdminAction.objects.create(at=clock.now(), by=by, action=action, reason=reason, sentences=sentences, **facts)


def checked_reason(reason: str) -> str:
    """Return `reason` in the form in which it is stored. Raises `DomainError` no_reason (400)."""
    reason = reason.replace("\0", "").strip()
    if not reason or len(reason) > REASON_MAX_LENGTH:
        sentence = _("Give a reason of 1 to {most} characters. It is kept in the log.")
        raise DomainError(400, "no_reason", sentence.format(most=REASON_MAX_LENGTH), fields={"reason": [sentence]})
    return reason


def clean_fields(action: Action, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the action's inputs as its form reads them. Raises `DomainError` bad_fields (400)."""
    unknown = sorted(set(fields) - set(action.fields))
    if unknown:
        sentence = _("{action} has no field {name}.").format(action=action.code, name=unknown[0])
        raise DomainError(400, "bad_fields", sentence, fields={unknown[0]: [sentence]})
    form = action.form(fields)
    if not form.is_valid():
        errors_of_fields = {name: [str(error) for error in errors] for name, errors in form.errors.items()}
        name, sentences = next(iter(errors_of_fields.items()))
        raise DomainError(400, "bad_fields", f"{name}: {' '.join(sentences)}", fields=errors_of_fields)
    return form.cleaned_data


def _done_before(action: Action, named: str, by: Any, key: str, fields: Mapping[str, str]) -> AdminAction | None:
    """Return what `by` did with this key. A simultaneous request waits here for the first one."""
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
    """Return what the audit log keeps of the inputs."""
    sent = {name: str(value) for name, value in fields.items() if value not in ("", None)}
    return {name: _hash(value) if name in action.private else value for name, value in sent.items()}


def _hash(value: str) -> str:
    """Return a hash by which only the platform can tell whether the same text was sent again."""
    return HASH_PREFIX + salted_hmac("games.admin_actions.registry", value, algorithm="sha256").hexdigest()[:32]


def _same(action: Action, earlier: AdminAction, named: str, fields: Mapping[str, str]) -> bool:
    """Return whether the same was requested then. One thing may have several names, and a deleted person has none."""
    if earlier.fields != fields:
        return False
    if action.target is None or earlier.target_id.lower() == named.lower():
        return True
    try:
        return action.target.kept(find_target(action, named)) == earlier.target_id
    except DomainError:
        return action.target.kept is not action.target.name
