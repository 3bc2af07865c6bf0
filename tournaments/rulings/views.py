"""The pages for rulings, disputes and their answers. Each asks for confirmation and a reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from games.accounts.templatetags.players import full_name
from games.common import confirmation
from games.common.confirmation import Question
from games.common.page_pagination import Page
from games.common.policy import policy
from games.common.refusals import Refusals
from games.models import Player
from tournaments.activity import audit_log
from tournaments.clubs.models import Club
from tournaments.clubs.permissions import may_organise
from tournaments.rulings import disputes, result_entry, substitutions
from tournaments.rulings import services as rulings
from tournaments.rulings.models import Dispute
from tournaments.rulings.services import Actor
from tournaments.season_pages import overview
from tournaments.seasons.addresses import season_url
from tournaments.seasons.models import Match, OrganiserAction, Round, Season
from tournaments.seasons.notes import NOTE_MAX_LENGTH
from tournaments.seasons.stream import match_version

RULINGS_PER_PAGE = 30
KEY_LENGTH = 22


class ReasonForm(forms.Form):
    """The reason for a decision; `key` belongs to the form, so that pressing its button twice makes one decision."""

    note = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=NOTE_MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The players concerned can read it, and it appears in the timeline."),
    )
    key = forms.CharField(max_length=64, widget=forms.HiddenInput)
    version = forms.IntegerField(required=False, widget=forms.HiddenInput)


class RulingForm(ReasonForm):
    """A place and, if scores count, a score for each entrant of a match."""

    def __init__(self, match: Match, by_score: bool, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        entrants = [entrant.entrant for entrant in match.entrants.select_related("entrant__player__bot_version")]
        self.count = len(entrants)
        self.by_score = by_score
        places: list[tuple[int | str, str]] = [("", _("choose a place"))]
        places += [(place, _("place {place}").format(place=place)) for place in range(1, self.count + 1)]
        for index, entrant in enumerate(entrants):
            self.fields[f"place{index}"] = forms.TypedChoiceField(
                label=_("Place of {player}").format(player=entrant.player.name), choices=places, coerce=int
            )
            if by_score:
                self.fields[f"score{index}"] = forms.IntegerField(
                    label=_("Score of {player}").format(player=entrant.player.name), min_value=-(10**6), max_value=10**6
                )
        self.order_fields([*(name for name in self.fields if name[:5] in ("place", "score")), "note"])

    def asked(self) -> dict[str, Any]:
        """Return `places` and `scores` for `rulings.adjudicate`."""
        sent = self.cleaned_data
        scores = [sent[f"score{index}"] for index in range(self.count)] if self.by_score else None
        return {"places": [sent[f"place{index}"] for index in range(self.count)], "scores": scores}


class SubstituteForm(ReasonForm):
    """Who comes instead of whom: `seat` is a team's number and a board, as 3-2; `player` is of the same team."""

    def __init__(self, match: Match, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        seats: list[tuple[str, str]] = []
        substitutes: list[tuple[str, str]] = []
        for side in match.entrants.select_related("entrant__player"):
            team = side.entrant
            at_boards = match.boards.filter(entrant=team, player__isnull=False).select_related("player__bot_version")
            rows = list(at_boards.order_by("board"))
            words = _("{team}, board {board}: {player}")
            seats += [
                (f"{team.number}-{row.board}", words.format(team=team, board=row.board, player=full_name(row.player)))
                for row in rows
                if row.player is not None
            ]
            others = team.members.filter(order__isnull=False).exclude(player__in=[row.player_id for row in rows])
            substitutes += [
                (str(row.player_id), f"{team}: {full_name(row.player)}")
                for row in others.select_related("player__bot_version")
            ]
        self.fields["seat"] = forms.ChoiceField(label=_("Instead of"), choices=seats)
        self.fields["player"] = forms.TypedChoiceField(label=_("Substitute"), choices=substitutes, coerce=int)
        self.order_fields(["seat", "player", "note"])


class DisputeForm(forms.Form):
    """The text of a dispute."""

    note = forms.CharField(
        label=gettext_lazy("What is wrong?"),
        max_length=NOTE_MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Only the organisers of the club can read it."),
    )


@dataclass(frozen=True, slots=True)
class ConfirmPage:
    """The texts of a confirmation page, and the message after the action."""

    code: str
    title: str
    follows: str
    button: str
    back: str
    done: str

    @property
    def question(self) -> Question:
        return Question(self.code, title=self.title, follows=self.follows, button=self.button, back=self.back)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate_page(request: HttpRequest, match_id: int) -> HttpResponse:
    """Adjudicate a match, or one game of it (`?game=`)."""
    match = find_organised_match(request, match_id)
    game = _asked_game_number(match, request.GET.get("game", ""))
    by_score = match.round.division.season.points.get("system") == "score"
    form = RulingForm(match, by_score, request.POST or None, initial=_initial(match))
    what = _("game {number}").format(number=game) if game else _("the match")
    ask = ConfirmPage(
        "decide_match",
        _("Adjudicate {what}").format(what=what),
        _("Your result counts from now on. Running games of the match are ended. Games that were not played "
            "to the end do not change ratings."),
        _("Adjudicate"),
        reverse("match", args=[match.pk]),
        _("The result has been adjudicated."),
    )  # fmt: skip
    return _confirm_and_run(
        request,
        ask,
        form,
        lambda: rulings.adjudicate(game=game, **form.asked(), **_match_page(match, form, request.user)),
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def annul_page(request: HttpRequest, match_id: int, number: int) -> HttpResponse:
    """Annul a game."""
    match = find_organised_match(request, match_id)
    form = ReasonForm(request.POST or None, initial=_initial(match))
    ask = ConfirmPage(
        "annul_game",
        _("Annul game {number}").format(number=number),
        _("The game does not count: its points are removed and ratings are corrected."),
        _("Annul game"),
        reverse("match", args=[match.pk]),
        _("The game has been annulled."),
    )
    return _confirm_and_run(
        request, ask, form, lambda: rulings.annul_game(game=number, **_match_page(match, form, request.user))
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def replay_page(request: HttpRequest, match_id: int, number: int) -> HttpResponse:
    """Order the replay of a game."""
    match = find_organised_match(request, match_id)
    form = ReasonForm(request.POST or None, initial=_initial(match))
    ask = ConfirmPage(
        "replay_game",
        _("Replay game {number}").format(number=number),
        _("A new game with the same seats begins immediately. The old result does not count any more.")
        + _failing_bots_hint(match, number),
        _("Order replay"),
        reverse("match", args=[match.pk]),
        _("A replay of the game has been ordered."),
    )
    return _confirm_and_run(
        request, ask, form, lambda: rulings.order_replay(game=number, **_match_page(match, form, request.user))
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def substitute_page(request: HttpRequest, match_id: int) -> HttpResponse:
    """Let another player of a team sit at a board."""
    match = find_organised_match(request, match_id)
    competition = match.round.division.season.competition
    competition.check_installed()
    if not competition.by_teams:
        raise Http404(_("There are no teams in this season."))
    form = SubstituteForm(match, request.POST or None, initial={"key": new_key()})
    ask = ConfirmPage(
        "substitute",
        _("Substitute a player"),
        _("Games at the board that are open and in which nobody has moved are replaced by new ones. Games that are "
            "over stand."),
        _("Substitute"),
        reverse("match", args=[match.pk]),
        _("The substitute plays from now on."),
    )  # fmt: skip

    def action() -> OrganiserAction:
        sent = form.cleaned_data
        number, board = map(int, sent["seat"].split("-"))
        team = match.entrants.select_related("entrant__player").get(entrant__number=number).entrant
        player = Player.objects.get(pk=sent["player"])
        reason = {"note": sent["note"], "key": sent["key"]}
        return substitutions.substitute(match=match, team=team, board=board, player=player, by=request.user, **reason)

    return _confirm_and_run(request, ask, form, action)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def undo_round_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Undo the last round of a division (`?division=`)."""
    found = overview.find_season(club, league, season)
    require_organiser(request, found.league.club)
    division, _all = overview.find_division(found, request.GET.get("division", ""))
    last = get_object_or_404(Round.objects.order_by("-number"), pk=getattr(division.rounds.last(), "pk", 0))
    form = ReasonForm(request.POST or None, initial={"key": new_key(), "version": last.pk})
    ask = ConfirmPage(
        "undo_round",
        _("Undo round {number}").format(number=last.number),
        _("The round’s pairings and results do not count any more, and its running games are ended. No "
            "round is paired until you choose “Pair the round again”. The next round then gets this number."),
        _("Undo round"),
        season_url(found),
        _("The round has been undone. Pair it again when everything is ready."),
    )  # fmt: skip

    def action() -> OrganiserAction:
        sent = form.cleaned_data
        seen = {"number": last.number, "round_id": sent["version"]}
        return rulings.undo_round(division=division, by=request.user, note=sent["note"], key=sent["key"], **seen)

    return _confirm_and_run(request, ask, form, action)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pair_again_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Let a division continue whose last round was undone."""
    found = overview.find_season(club, league, season)
    require_organiser(request, found.league.club)
    division, _all = overview.find_division(found, request.GET.get("division", ""))
    form = ReasonForm(request.POST or None, initial={"key": new_key()})
    ask = ConfirmPage(
        "pair_again",
        _("Pair the round again"),
        _("The season continues. Its next round is paired from the present results."),
        _("Pair round"),
        season_url(found),
        _("The season continues. The round will be paired in a moment."),
    )

    def action() -> OrganiserAction:
        sent = form.cleaned_data
        return rulings.pair_again(division=division, by=request.user, note=sent["note"], key=sent["key"])

    return _confirm_and_run(request, ask, form, action)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@policy(visible_in_impersonation=True)
def dispute_page(request: HttpRequest, match_id: int) -> HttpResponse:
    """Open a dispute about a match that the viewer plays."""
    match = _find_match(match_id)
    if disputes.playing_entrant(match, request.user) is None:
        raise PermissionDenied(_("Only players of a match can dispute it."))
    form = DisputeForm(request.POST or None)
    ask = ConfirmPage(
        "dispute",
        _("Dispute the result"),
        _("The organisers are notified. They correct the result, or explain why it stands."),
        _("Send dispute"),
        reverse("match", args=[match.pk]),
        _("The organisers have been notified."),
    )
    return _confirm_and_run(
        request, ask, form, lambda: disputes.open_dispute(match=match, by=request.user, note=form.cleaned_data["note"])
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def decline_page(request: HttpRequest, match_id: int, dispute_id: int) -> HttpResponse:
    """Decline a dispute."""
    match = find_organised_match(request, match_id)
    found = get_object_or_404(match.disputes.select_related("entrant__player", "note"), pk=dispute_id)
    form = ReasonForm(request.POST or None, initial={"key": new_key()})
    ask = ConfirmPage(
        "decline_dispute",
        _("Decline the dispute of {player}").format(player=found.entrant.player.name),
        _("Message: {words}").format(words=found.note.text or _("(removed)")),
        _("Decline dispute"),
        reverse("match", args=[match.pk]),
        _("The dispute has been declined."),
    )
    return _confirm_and_run(
        request,
        ask,
        form,
        lambda: disputes.decline_dispute(dispute=found, by=request.user, note=form.cleaned_data["note"]),
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def results_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Enter the results of several matches of the open rounds, each as *A won*, *draw* or *B won*."""
    found = overview.find_season(club, league, season)
    require_organiser(request, found.league.club)
    refused, sent = Refusals(passing=[403]), request.POST
    chosen = result_entry.chosen_outcomes(sent.dict())
    if request.method == "POST":
        with refused:
            made = result_entry.enter_results(
                season=found, outcomes=chosen, by=request.user, note=sent.get("note", ""), key=sent.get("key", "")[:64]
            )
            done = ngettext("The result has been entered.", "{n} results have been entered.", len(made))
            messages.success(request, done.format(n=len(made)))
            return redirect(season_url(found, "rounds"))
    matches = result_entry.enterable_matches(found, chosen)
    context = {
        "nav": "clubs",
        "season": found,
        "matches": matches,
        "enterable": any(each.by_outcome for each in matches),
        "key": sent.get("key") or new_key(),
        "note": sent.get("note", ""),
        "refused": refused.error and refused.error.sentence,
    }
    return render(request, "rulings/results.html", context, status=422 if request.method == "POST" else 200)


@login_required
@require_http_methods(["GET", "HEAD"])
@policy(visible_in_impersonation=True)
def audit_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Show what organisers did in a season, and the open disputes."""
    found = overview.find_season(club, league, season)
    require_organiser(request, found.league.club)
    page = Page.of(audit_log.season_actions(found), request.GET.get("page", ""), RULINGS_PER_PAGE)
    waiting = Dispute.objects.filter(match__round__division__season=found, status=Dispute.Status.OPEN)
    context = {
        "nav": "clubs",
        "season": found,
        "page": page,
        "lines": audit_log.audit_lines(page.items),
        "waiting": waiting.select_related("match__round", "entrant__player__bot_version", "note")[:RULINGS_PER_PAGE],
        "divisions": season_divisions(found),
    }
    return render(request, "rulings/rulings.html", context)


def season_divisions(season: Season) -> list[tuple[Any, Round | None]]:
    """Return the divisions with their last rounds, which may be undone."""
    return [(division, division.rounds.last()) for division in season.divisions.all()]


def new_key() -> str:
    """Return a new key for a form (`ReasonForm`)."""
    return get_random_string(KEY_LENGTH)


def require_organiser(request: HttpRequest, club: Club) -> None:
    """Raise PermissionDenied unless the viewer organises the club."""
    if not may_organise(request.user, club):
        raise PermissionDenied(_("Only the organisers of {club} can decide about its results.").format(club=club))


def find_organised_match(request: HttpRequest, match_id: int) -> Match:
    """Return a match that the viewer may decide about. Raises Http404, PermissionDenied."""
    match = _find_match(match_id)
    require_organiser(request, match.round.division.season.league.club)
    return match


def _find_match(match_id: int) -> Match:
    return get_object_or_404(Match.objects.select_related("round__division__season__league__club"), pk=match_id)


def _failing_bots_hint(match: Match, number: int) -> str:
    """Return a hint about a game that failed, because the same bots would play it again; "" if it did not fail."""
    failed = match.games.filter(number=number, game__failures__gt=0).last()
    seats = failed.game.seats.select_related("player__bot_version__bot").order_by("seat") if failed else ()
    bots = [str(seat.player.bot_version) for seat in seats if seat.player.bot_version]
    sentence = _(
        "The game could not be played, and {bots} would play it again. If a bot cannot play, adjudicate the "
        "game instead, or withdraw the bot from the season."
    )
    return " " + sentence.format(bots=", ".join(bots)) if bots else ""


def _asked_game_number(match: Match, asked: str) -> int | None:
    """Return the number of a game of the match; None for the whole match. Raises Http404."""
    if not asked:
        return None
    number = int(asked) if asked.isdecimal() and len(asked) < 5 else 0
    if not match.games.filter(number=number).exists():
        raise Http404(_("The match has no such game."))
    return number


def _initial(match: Match) -> dict[str, Any]:
    return {"key": new_key(), "version": match_version(match)}


def _match_page(match: Match, form: ReasonForm, by: Actor) -> dict[str, Any]:
    return {name: form.cleaned_data[name] for name in ("note", "key", "version")} | {"match": match, "by": by}


def _confirm_and_run(
    request: HttpRequest, ask: ConfirmPage, form: forms.Form, action: Callable[[], object]
) -> HttpResponse:
    """Show the confirmation page; once it is confirmed, run the action and go back with a message."""
    question = ask.question
    if request.method != "POST":
        return confirmation.confirmation_page(request, question, form=form)
    if question.grave and not confirmation.is_confirmed(request, ask.code):
        return confirmation.confirmation_page(request, question, form=form, code=confirmation.NOT_CONFIRMED)
    if not form.is_valid():
        missing = confirmation.REASON_NEEDED if "note" in form.errors else confirmation.BAD_FORM
        return confirmation.confirmation_page(request, question, form=form, code=missing)
    refused = Refusals(passing=[403])
    with refused:
        action()
    if error := refused.error:
        return confirmation.confirmation_page(request, question, form=form, code=error.code, refused=error.sentence)
    messages.success(request, ask.done)
    return redirect(ask.back)
