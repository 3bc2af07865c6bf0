"""The pages for remote bots: an author's bots, and one bot with its games and a form for the next one."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts import tokens
from games.accounts.names import NAME_MAX_LENGTH
from games.accounts.tokens import newest_player
from games.accounts.views import private_page
from games.bots.remote import services as remote_bots
from games.bots.remote.services import ChallengeRequest
from games.common.confirmation import Question, ask_unless_confirmed
from games.common.policy import policy
from games.common.refusals import Refusals, as_message
from games.common.signed_in import signed_in_user
from games.models import Bot
from games.play.roster import builtin_bots_for
from scorebook_games import registry

BUILTIN_PREFIX = "built_in:"


class NewRemoteBotForm(forms.Form):
    """The name of a new remote bot, and whether it is an agent."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=NAME_MAX_LENGTH)
    agent = forms.BooleanField(label=gettext_lazy("A language model chooses its moves"), required=False)


class ChallengeForm(forms.Form):
    """The kind and opponents of a new game."""

    kind = forms.ChoiceField(label=gettext_lazy("Game"))
    against = forms.ChoiceField(label=gettext_lazy("Against"))

    def __init__(self, bot: Bot, data: Any = None) -> None:
        super().__init__(data)
        self.bot = bot
        self.others = {str(player.pk): player for player in remote_bots.opponents(bot)}
        names = dict.fromkeys(name for kind in registry.KINDS for name in builtin_bots_for(kind))
        kind, against = self.fields["kind"], self.fields["against"]
        assert isinstance(kind, forms.ChoiceField)
        assert isinstance(against, forms.ChoiceField)
        kind.choices = [(name, rules.spec.title) for name, rules in registry.KINDS.items()]
        built_in = [(f"{BUILTIN_PREFIX}{name}", _("{name} (built-in)").format(name=name)) for name in names]
        against.choices = [*built_in, *((pk, str(player)) for pk, player in self.others.items())]

    def wish(self) -> ChallengeRequest:
        """Return the requested game, at the smallest table."""
        kind, against = self.cleaned_data["kind"], self.cleaned_data["against"]
        seats = registry.rules_for(kind).spec.seats_min
        if against in self.others:
            return ChallengeRequest(kind, players=[self.others[against]], built_in=["random"] * (seats - 2))
        return ChallengeRequest(kind, built_in=[against.removeprefix(BUILTIN_PREFIX)] * (seats - 1))


def configuration_for_host(address: str) -> str:
    """Return what the host of a language model needs to know, as JSON, with a token to be filled in."""
    server = {"command": "scorebook-mcp", "args": ["--server", address], "env": {"SCOREBOOK_TOKEN": "sb_…"}}
    return json.dumps({"mcpServers": {"scorebook": server}}, ensure_ascii=False, indent=2)


@private_page
@policy(visible_in_impersonation=True)
def bot_list(request: HttpRequest) -> HttpResponse:
    """The page of my remote bots; a POST creates one."""
    user = signed_in_user(request)
    form = NewRemoteBotForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        with Refusals(lambda error: form.add_error("name", error.sentence)):
            return redirect("remote-bot", remote_bots.create_bot(owner=user, **form.cleaned_data).pk)
    lines = [
        {
            "bot": each,
            "player": newest_player(each),
            "here": remote_bots.is_connected(each),
            "games": remote_bots.running_seats(each).count(),
        }
        for each in remote_bots.remote_bots_of(user)
    ]
    context = {"nav": "me", "form": form, "lines": lines}
    return render(request, "bots/remote_bots.html", context, status=400 if form.is_bound else 200)


@private_page
def bot_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of one remote bot. The button's `form` tells its forms apart."""
    user = signed_in_user(request)
    found = remote_bots.remote_bots_of(user).filter(pk=pk).first()
    if found is None:
        raise Http404(_("You have no such remote bot."))
    sent = request.POST.get("form") if request.method == "POST" else None
    form = ChallengeForm(found, request.POST if sent == "challenge" else None)
    refused = as_message(request)
    with refused:
        if sent == "version":
            question = Question(
                "new_bot_version",
                title=_("Start a new version of {name}?").format(name=found),
                follows=_(
                    "The new version starts with a fresh rating and plays all games that begin from now "
                    "on. The old version stops playing new games."
                ),
                button=_("Start new version"),
                back=reverse("remote-bot", args=[pk]),
            )
            if (page := ask_unless_confirmed(request, question)) is not None:
                return page
            number = remote_bots.new_version(found).bot_version.number  # type: ignore[union-attr]  # a bot's player has one
            messages.success(request, _("Version {n} plays from now on.").format(n=number))
            return redirect("remote-bot", pk)
        if sent == "challenge" and form.is_valid():
            return redirect("replay", remote_bots.open_challenge(bot=found, wish=form.wish()).public_id)
    address = request.build_absolute_uri("/")
    context = {
        "nav": "me",
        "bot": found,
        "player": newest_player(found),
        "here": remote_bots.is_connected(found),
        "games": list(remote_bots.running_seats(found)[:50]),
        "tokens": tokens.valid_tokens(tokens.tokens_of(user).filter(bot=found)),
        "form": form,
        "address": address,
        "configuration": configuration_for_host(address),
    }
    return render(request, "bots/remote_bot.html", context, status=400 if form.errors else refused.status)
