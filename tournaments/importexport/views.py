"""The pages for exporting a season to a file and importing one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from games.common.refusals import Refusals
from scorebook_games.registry import KINDS
from tournaments.clubs.models import Club
from tournaments.importexport import entrants
from tournaments.importexport import export as importexport_export
from tournaments.importexport.entrants import MAX_FILE_BYTES, ImportReport
from tournaments.importexport.file_text import decode_file
from tournaments.lifecycle.services import part_of_the_year
from tournaments.lifecycle.setup import SeasonPlan
from tournaments.season_pages import overview
from tournaments.season_pages.setup_views import require_organiser
from tournaments.seasons.addresses import season_url
from tournaments.seasons.models import Season

CONTENT_TYPES = {"json": "application/json", "zip": "application/zip", "csv": "text/csv; charset=utf-8"}


def export_season(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Download a season as a file; the query parameter `as` is json, zip or the name of one of its tables."""
    return season_file(
        overview.find_season(club, league, season), request.GET.get("as", importexport_export.ZIP_FORMAT)
    )


def season_file(season: Season, form: str) -> HttpResponse:
    """Return the response with the file. Raises Http404 for an unknown form."""
    if form == importexport_export.JSON_FORMAT:
        body, kind = importexport_export.as_json(season), "json"
    elif form == importexport_export.ZIP_FORMAT:
        body, kind = importexport_export.as_zip(season), "zip"
    elif form in importexport_export.CSV_TABLES:
        body, kind = importexport_export.as_csv(importexport_export.season_data(season), form), "csv"
    else:
        raise Http404(_("There is no such file of a season."))
    name = season.slug if kind != "csv" else f"{season.slug}-{form}"
    response = HttpResponse(body, content_type=CONTENT_TYPES[kind])
    response["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    return response


class ImportForm(forms.Form):
    """The file or text to import, and the league, name and settings of the new season."""

    file = forms.FileField(
        label=gettext_lazy("File"), required=False, help_text=gettext_lazy("CSV, JSON or a FIDE report (TRF).")
    )
    text = forms.CharField(
        label=gettext_lazy("Or paste the text"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "One name per line. Or a first line with column names: name, and optionally version and player."
        ),
    )
    league = forms.ChoiceField(label=gettext_lazy("League"), required=False)
    new_league = forms.CharField(label=gettext_lazy("Name of the new league"), required=False, max_length=60)
    name = forms.CharField(label=gettext_lazy("Season"), max_length=60)
    like = forms.ModelChoiceField(
        Season.objects.none(),
        label=gettext_lazy("Settings from"),
        required=False,
        empty_label=gettext_lazy("the file, or the defaults"),
    )
    kind = forms.ChoiceField(label=gettext_lazy("Game, if the file does not name it"))
    results = forms.ChoiceField(
        label=gettext_lazy("Import"),
        required=False,
        choices=[
            ("", gettext_lazy("only the entrants, for a new season")),
            ("yes", gettext_lazy("the whole season with its results")),
        ],
        help_text=gettext_lazy("To import a whole season, use its data (JSON) or its results table (CSV)."),
    )

    guessed_encoding = ""  # of the file, if it does not say it

    def __init__(self, club: Club, data: Any = None, files: Any = None) -> None:
        listed = [(league.slug, league.name) for league in club.leagues.all()]
        usual = {"name": part_of_the_year(club.zone), "league": listed[0][0] if listed else ""}
        super().__init__(data, files, initial=usual)
        leagues: Any = self.fields["league"]
        leagues.choices = [*listed, ("", _("A new league"))]
        like: Any = self.fields["like"]
        like.queryset = Season.objects.filter(league__club=club).select_related("league")
        kind: Any = self.fields["kind"]
        kind.choices = [(kind, rules.spec.title) for kind, rules in KINDS.items()]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        sent = cleaned.get("file")
        if sent is not None:
            if sent.size > MAX_FILE_BYTES:
                self.add_error("file", _("A file may have at most {most} kB.").format(most=MAX_FILE_BYTES // 1000))
                return cleaned
            with Refusals(lambda error: self.add_error("file", error.sentence)):
                cleaned["text"], self.guessed_encoding = decode_file(sent.read())
        if not (cleaned.get("text") or self.errors):
            self.add_error("text", _("Choose a file, or enter the names."))
        return cleaned

    def plan(self) -> SeasonPlan:
        """Return the plan of the new season, without entrants."""
        asked = self.cleaned_data
        return SeasonPlan(
            league=asked["league"], new_league=asked["new_league"], name=asked["name"], kind=asked["kind"]
        )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_season_page(request: HttpRequest, club: str) -> HttpResponse:
    """Check a file, show the result of each line, then create the season. It is not started."""
    found_club = get_object_or_404(Club, slug=club)
    require_organiser(request, found_club)
    sent = request.method == "POST"
    form = ImportForm(found_club, request.POST if sent else None, request.FILES if sent else None)
    report: ImportReport | None = None
    if form.is_valid():
        with Refusals(lambda error: form.add_error("text", error.sentence)):
            report = entrants.import_season(
                club=found_club,
                user=request.user,
                plan=form.plan(),
                text=form.cleaned_data["text"],
                like=form.cleaned_data["like"],
                dry_run=request.POST.get("do") != "import",
                results=bool(form.cleaned_data["results"]),
            )
    if report and report.season:
        sentence = _("{season} has been imported.") if report.rounds else _("{season} has been set up.")
        messages.success(request, sentence.format(season=report.season))
        return redirect(season_url(report.season))
    context = {"nav": "clubs", "club": found_club, "form": form, "report": report, "tried": sent}
    context["guessed_encoding"] = form.guessed_encoding
    if report:
        text, with_results = form.cleaned_data["text"], bool(form.cleaned_data["results"])
        context["form"] = ImportForm(
            found_club, {**request.POST.dict(), "text": text if with_results else entrants.without_rounds(text)}
        )
        context["divisions"] = len({division for division, *_row in report.standings})
    failed = form.errors or (report and not report.fine)
    return render(request, "importexport/import.html", context, status=422 if failed else 200)
