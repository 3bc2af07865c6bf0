"""The pages of bots: the list, my bots, a new bot, and a bot's pages with the actions of its author.

The pages show what the API shows and call the same services. htmx reloads an admission that is still going on; without
JavaScript the page asks the reader to reload.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.html import format_html
from django.utils.http import quote_etag
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.bots import challenges, comparison, kit, uploads
from games.bots.admission import trials
from games.bots.admission.notifications import choose_version_and_notify
from games.common.errors import DomainError
from games.common.for_everybody import for_everybody
from games.common.page_pagination import Page
from games.common.policy import policy
from games.common.refusals import Refusals, as_message
from games.common.signed_in import signed_in_user
from games.models import Bot, Trial
from games.play.roster import builtin_bots_for
from games.workers import waiting_reasons
from scorebook_games.analysis.comparison import MAX_DEALS, Bounds
from scorebook_games.registry import KINDS, first_kind
from tournaments.bot_pages import analysis, results
from tournaments.bot_pages import badge as badges
from tournaments.bot_pages import detail as bot_detail
from tournaments.bot_pages.versions import chosen_version, find_version, version_numbers

BOTS_PER_PAGE = 30
STATUS_UNCHANGED = 204  # htmx leaves the page as it is
# The parts of a bot's page that are shown alone as they go on, by `part` of the query.
LIVE_PARTS: Final = {
    "admission": "bot_pages/parts/admission.html",
    "comparison": "bot_pages/parts/comparison.html",
}


class NewBotForm(forms.Form):
    """The form for a new bot and its first file."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=200,
        help_text=gettext_lazy("The bot’s name cannot be changed later."),
        error_messages={"required": gettext_lazy("Give the bot a name.")},
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        required=False,
        max_length=uploads.DESCRIPTION_MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("Other players see this. You can change it later."),
    )
    visibility = forms.ChoiceField(
        label=gettext_lazy("Visibility"),
        choices=[
            (
                Bot.Visibility.PUBLIC,
                gettext_lazy("public: everybody sees its page"),
            ),
            (Bot.Visibility.PRIVATE, gettext_lazy("private: only you see its page, but its games are public")),
        ],
        widget=forms.RadioSelect,
        initial=Bot.Visibility.PUBLIC,
    )


@never_cache
@policy(visible_in_impersonation=True)
def bot_list(request: HttpRequest) -> HttpResponse:
    """Show my bots, and all bots that everybody may see."""
    mine = []
    if isinstance(request.user, User):
        own_bots = Bot.objects.filter(owner=request.user).select_related("plays__player__bot_version").order_by("name")
        mine = [(bot, bot.versions.order_by("-number").first()) for bot in own_bots]
    page = Page.of(bot_detail.public_bots(), request.GET.get("page", ""), BOTS_PER_PAGE)
    figures = bot_detail.ratings_by_version([bot.plays for bot in page.items if bot.plays])
    listed = page.map(lambda bot: (bot, figures.get(bot.plays_id, [])[:2]))
    context = {"nav": "bots", "mine": mine, "page": listed}
    context |= {"wheel": kit.wheel_name(), "kind_wheels": kind_wheels()}
    context |= {
        "address": settings.SCOREBOOK_BASE_URL,
        "example_kind": first_kind(),
        "starter_kinds": [(kind, each.spec.title) for kind, each in KINDS.items()],
    }
    return render(request, "bot_pages/bots.html", context)


def kind_wheels() -> list[tuple[str, str]]:
    """Return the wheels of kinds from other packages, each with the title of its kind."""
    return [(name, KINDS[point.name].spec.title) for name, point in kit.kind_wheels().items()]


def with_validator(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return the response with an `ETag` from its content, or 304 to a browser that has it."""
    response["ETag"] = tag = quote_etag(hashlib.sha256(response.content).hexdigest()[:32])
    return cast("HttpResponse", get_conditional_response(request, etag=tag, response=response))


@for_everybody
@policy(visible_in_impersonation=True)
def kit_file(request: HttpRequest, name: str) -> HttpResponse:
    """Download a file of the kit for authors of bots; the wheel has the name that pip wants, and with `slim` no
    pictures. A browser that has it asks each time whether it is another one."""
    try:
        content = kit.kit_file(name, slim=kit.SLIM in request.GET)
    except LookupError:
        raise Http404(_("The kit has {known}.").format(known=", ".join(kit.kit_names()))) from None
    response = HttpResponse(content, content_type="text/x-python" if name.endswith(".py") else "application/zip")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "public, no-cache"
    return with_validator(request, response)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def create_bot(request: HttpRequest) -> HttpResponse:
    """Create a bot from its name, description and first file."""
    form = NewBotForm(request.POST if request.method == "POST" else None)
    refused = Refusals()
    if request.method == "POST" and form.is_valid():
        with refused:
            data = uploaded_file(request)
            with transaction.atomic():  # A bot without a version would block its name, so both are created or neither.
                bot = uploads.new_bot(owner=signed_in_user(request), **form.cleaned_data)
                uploads.upload_version(bot=bot, data=data)
            return redirect("bot", bot.name)
    error = refused.error
    if error and error.code in ("bad_name", "name_taken"):
        form.add_error("name", error.sentence)
        error = None
    context = {"nav": "bots", "form": form, "refused": error, "tried": request.method == "POST"}
    return render(request, "bot_pages/new.html", context, status=422 if error or form.errors else 200)


def uploaded_file(request: HttpRequest) -> bytes:
    """Return the uploaded file of a form. A last field proves that the upload was not cut off. Raises `DomainError`."""
    sent = request.FILES.get("file")
    if not isinstance(sent, UploadedFile):
        raise uploads.UploadError(400, "upload_missing", _("Choose the file that contains your class Bot."))
    if request.POST.get("end") != "1":
        raise uploads.UploadError(
            400, "upload_cut_off", _("The upload was interrupted. Nothing was saved. Send the file again.")
        )
    return uploads.read_upload(sent.chunks(), sent.size)


@never_cache
@policy(visible_in_impersonation=True)
def bot_detail_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show a bot's page. `?part=admission` and `?part=comparison` return only that part, for reloads while it goes
    on."""
    bot = uploads.find_visible_bot(name, request.user)
    is_owner = uploads.is_owner(bot, request.user)
    part = request.GET.get("part", "")
    if part in LIVE_PARTS and is_owner:
        return live_part(request, bot, part)
    asked = request.GET
    sheet = bot_detail.bot_page(bot, request.user, is_owner, asked.get("admission", ""), asked.get("pool", ""))
    kinds = bot.plays.kinds if bot.plays else []
    context = {
        **frame_context(request, bot, "overview"),
        "sheet": sheet,
        "pairs": compared_pairs(sheet) if is_owner else [],
        "badge_html": badge_html(request, bot),
        "kinds": [(kind, KINDS[kind].spec.title) for kind in kinds],
        "opponents": builtin_bots_for(kinds[0]) if kinds else [],
        "most_deals": MAX_DEALS,
        "comparing": any(not each.is_over for each in sheet.comparisons),
        "stamp": bot_detail.stamp(sheet.admission),
        "comparison_stamp": stamps(sheet.comparisons),
    }
    return render(request, "bot_pages/bot.html", context)


def frame_context(request: HttpRequest, bot: Bot, tab: str) -> dict[str, Any]:
    """Return what the head of each page of a bot shows."""
    version = bot.plays or chosen_version(bot, "")
    readable = version is not None and uploads.may_read_source(version, request.user)
    return {
        "nav": "bots",
        "bot": bot,
        "tab": tab,
        "is_author": uploads.is_owner(bot, request.user),
        "is_remote": version is not None and version.is_remote,
        "readable": version.number if version and readable else 0,
    }


def compared_pairs(sheet: bot_detail.BotPage) -> list[tuple[int, list[int]]]:
    """Return the numbers of the versions that can be compared, the newest first, each with the older ones."""
    numbers = [line.version.number for line in sheet.passed if line.version.is_upload]
    return [(number, numbers[at:]) for at, number in enumerate(numbers[:-1], 1)]


def badge_html(request: HttpRequest, bot: Bot) -> SafeString:
    """Return the line that shows the badge of a bot on another site."""
    page = request.build_absolute_uri(reverse("bot", args=[bot.name]))
    picture = request.build_absolute_uri(reverse("bot-badge", args=[bot.name]))
    return format_html('<a href="{}"><img src="{}" alt="{}"></a>', page, picture, bot.name)


@policy(visible_in_impersonation=True)
@never_cache
def results_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show against whom a version has played, by kind and seat, and how that ended."""
    bot = uploads.find_visible_bot(name, request.user)
    asked = request.GET
    version = chosen_version(bot, asked.get("version", ""))
    kind = asked.get("kind", "")
    kind = kind if kind in KINDS else ""
    found = results.matrix(version, request.user, kind, asked.get("page", "")) if version else None
    context = {
        **frame_context(request, bot, "results"),
        "version": version,
        "numbers": version_numbers(bot),
        "matrix": found,
        "kind": kind,
        "most_games": results.MAX_GAMES_COUNTED,
    }
    return render(request, "bot_pages/results.html", context)


@policy(visible_in_impersonation=True)
@never_cache
def analysis_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show how a version plays: results without luck, what it loses most on, slow answers, and faults by week."""
    bot = uploads.find_visible_bot(name, request.user)
    version = chosen_version(bot, request.GET.get("version", ""))
    found = analysis.analysis(bot, version, request.user) if version else None
    drawn = next((form for form in found.account.form if form.steps), None) if found else None
    context = {
        **frame_context(request, bot, "analysis"),
        "version": version,
        "numbers": version_numbers(bot),
        "analysis": found,
        "form": drawn,
        "chart": analysis.form_chart(drawn, KINDS[drawn.kind].spec.title) if drawn and drawn.kind in KINDS else None,
        "times": bot_detail.response_times(version) if version else None,
        "most_games": results.MAX_GAMES_COUNTED,
    }
    return render(request, "bot_pages/analysis.html", context)


@require_safe
@for_everybody
@policy(visible_in_impersonation=True)
def badge(request: HttpRequest, name: str) -> HttpResponse:
    """Return the badge of a bot that everybody may see, for other sites. Caches may keep it for an hour."""
    bot = uploads.find_visible_bot(name, AnonymousUser())
    drawn = badges.badge_svg(badges.badge_of(bot))
    return with_validator(request, HttpResponse(drawn, content_type="image/svg+xml"))


def live_part(request: HttpRequest, found: Bot, part: str) -> HttpResponse:
    """Return a part of the page that makes progress: 204 if nothing changed; a reload of the whole page once all have
    finished."""
    if part == "admission":
        trial = bot_detail.admission_trial(found, request.GET.get("admission", ""))
        going = [trial] if trial else []
    else:
        going = bot_detail.comparisons(found)
    if all(each.is_over for each in going):
        return HttpResponse(headers={"HX-Refresh": "true"})
    stamp = stamps(going)
    if request.GET.get("known") == stamp:
        return HttpResponse(status=STATUS_UNCHANGED)
    context = {
        "bot": found,
        "admission": going[0],
        "trials": going,
        "stamp": stamp,
        "comparison_stamp": stamp,
        "comparing": True,
        "waiting": waiting_reasons.why_sandboxes_wait(),
    }
    return render(request, LIVE_PARTS[part], context)


def stamps(shown: list[Trial]) -> str:
    """Return a value that changes whenever one of these trials makes progress."""
    return " ".join(bot_detail.stamp(each) for each in shown)


AuthorView = Callable[..., HttpResponse]


def author_action(act: AuthorView) -> Callable[..., HttpResponse]:
    """Decorate an action of the bot's author: a refusal is shown on the bot's page."""

    @login_required
    @require_POST
    def done(request: HttpRequest, name: str, **more: Any) -> HttpResponse:
        bot = uploads.find_visible_bot(name, request.user)
        if not uploads.is_owner(bot, request.user):
            raise Http404(_("Only the author of the bot can do that."))
        with as_message(request):
            return act(request, bot, **more)
        return redirect("bot", bot.name)

    return done


@author_action
def upload_version(request: HttpRequest, found: Bot) -> HttpResponse:
    """Upload the next version."""
    uploads.upload_version(bot=found, data=uploaded_file(request))
    return redirect("bot", found.name)


@author_action
def edit_bot(request: HttpRequest, found: Bot) -> HttpResponse:
    """Change the description of the bot, who may see it, or whether its source is published."""
    uploads.change_bot(
        found,
        description=request.POST.get("description", ""),
        visibility=request.POST.get("visibility", ""),
        source_published=request.POST.get("source_published") == "on",
    )
    messages.success(request, _("Saved."))
    return redirect("bot", found.name)


@author_action
def choose_version(request: HttpRequest, found: Bot, number: int) -> HttpResponse:
    """Choose the version that plays for the bot."""
    version = find_version(found, str(number))
    choose_version_and_notify(version)
    text = _("v{number} plays from now on. Seasons that have begun keep the version that entered.")
    messages.success(request, text.format(number=number))
    return redirect("bot", found.name)


@author_action
def play_built_in_bots(request: HttpRequest, found: Bot) -> HttpResponse:
    """Open a game against built-in bots."""
    bots = [bot for bot in request.POST.getlist("bots") if bot]
    game = challenges.open_challenge(
        version=find_version(found, request.POST.get("version", "")), kind=request.POST.get("kind", ""), bots=bots
    )
    return redirect("replay", game.public_id)


@author_action
def compare(request: HttpRequest, found: Bot) -> HttpResponse:
    """Start a comparison of two versions."""
    promote = request.POST.get("promote") == "on"
    version, _dash, against = request.POST.get("pair", "").partition("-")
    trial = comparison.request_comparison(
        version=find_version(found, version),
        against=find_version(found, against),
        kind=request.POST.get("kind", ""),
        bounds=chosen_bounds(request),
        promote=promote,
    )
    if promote and trial.is_over and not trial.promote:
        text = _("This comparison is over, so it promotes nothing. You can choose v{number} in the list of versions.")
        messages.warning(request, text.format(number=trial.version.number))
    return redirect("bot", found.name)


def chosen_bounds(request: HttpRequest) -> Bounds:
    """Return the bounds of a form: a preset, or two numbers. Raises `DomainError` bad_bounds (400)."""
    if preset := comparison.PRESETS.get(request.POST.get("preset", "gain")):
        return preset
    try:
        return Bounds(int(request.POST.get("elo0", "")), int(request.POST.get("elo1", "")))
    except ValueError:
        raise DomainError(400, "bad_bounds", _("Give both bounds as whole numbers of Elo points.")) from None


@author_action
def rerun_trial(request: HttpRequest, found: Bot, pk: int) -> HttpResponse:
    """Restart an admission or comparison that the platform failed to finish."""
    trial = Trial.objects.filter(pk=pk, version__bot=found).select_related("version__bot", "against").first()
    if trial is None:
        raise Http404(_("This bot has no such trial."))
    trials.restart_trial(trial)
    return redirect("bot", found.name)


def source(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Download the file that the author uploaded, unchanged. Others than the author get it if it is published."""
    version = find_version(uploads.find_visible_bot(name, request.user), str(number))
    if not uploads.may_read_source(version, request.user):
        raise Http404(_("The author has not published this source."))
    response = HttpResponse(version.source.encode(), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="bot-v{number}.py"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
