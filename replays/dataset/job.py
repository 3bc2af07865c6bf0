"""The dataset that the platform offers. A worker's job makes it (`games.operations.jobs`), and it is kept in a folder.

pyarrow is large, so only `make` imports it.

The file is offered as long as everybody with rows in it consents and no club with games in it is private. This is
checked at each download, so a withdrawal takes effect at once.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.utils.translation import gettext as _

from games.accounts import dataset_consent
from games.common.errors import DomainError
from games.operations.jobs import JobFailed, JobResult, JobType, Progress
from games.operations.models import AdminJob
from games.visibility import audience
from scorebook_games.presentation.coded_text import sentence

MAX_LINES: Final = 200
HASHED_BYTES: Final = 1 << 20  # read at a time


@dataclass(frozen=True, slots=True)
class DatasetFile:
    """The finished dataset: its path, and the facts that its job stored."""

    path: Path
    job: AdminJob
    facts: dict[str, Any]


@sentence
def decisions_written(rows: int, games: int) -> str:
    return _("{rows} decisions of {games} games").format(rows=rows, games=games)


@sentence
def consent_withdrawn() -> str:
    return _("A player withdrew their consent during the export. Nothing was written; start it again.")


@sentence
def club_hidden() -> str:
    return _("A club became private during the export. Nothing was written; start it again.")


@sentence
def dataset_not_written(folder: str, error: str) -> str:
    words = _("The dataset can't be written to {folder}: {error}. See SCOREBOOK_DATASET_FOLDER.")
    return words.format(folder=folder, error=error)


def make(job: AdminJob, progress: Progress) -> JobResult:
    """Write the dataset, store its facts in the job, and delete earlier files. Raises `JobFailed`."""
    from replays.dataset.export import ClubHidden, ConsentWithdrawn, write_dataset

    folder = Path(settings.SCOREBOOK_DATASET_FOLDER)
    path = folder / f"dataset-{job.pk}.parquet"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        summary = write_dataset(path, progress=progress)
        facts = {
            "file": path.name,
            "games": summary.games,
            "rows": summary.rows,
            "bytes": path.stat().st_size,
            "sha256": _sha256(path),
            "people": sorted(summary.people),
            "clubs": sorted(summary.clubs),
        }
        _remove_all_but(path)
    except ConsentWithdrawn as error:
        raise JobFailed(consent_withdrawn()) from error
    except ClubHidden as error:
        raise JobFailed(club_hidden()) from error
    except OSError as error:
        raise JobFailed(dataset_not_written(str(folder), error.strerror or str(error))) from error
    AdminJob.objects.filter(pk=job.pk).update(fields={**job.fields, **facts})
    return JobResult(decisions_written(summary.rows, summary.games), summary.faults[:MAX_LINES])


DATASET: Final = JobType("dataset", "replays.export_dataset", 0xDA7A5E7, make)


def latest_job() -> AdminJob | None:
    """Return the latest job; None if there is none."""
    return AdminJob.objects.filter(what=DATASET.name).order_by("-pk").first()


def current_file() -> DatasetFile | None:
    """Return the dataset if there is one and all of it may still be shown; else None."""
    found = _last_file()
    return found if found and _may_be_shown(found) else None


def find_file() -> DatasetFile:
    """Return the dataset. Raises `DomainError` no_dataset (404)."""
    found = current_file()
    if found is None:
        sentence = _("There is no dataset at the moment. An admin can have it made, or it is being made again.")
        raise DomainError(404, "no_dataset", sentence)
    return found


def replace_outdated() -> None:
    """Delete the file if not all of it may be shown any more, and ask for a new one."""
    found = _last_file()
    if found and not _may_be_shown(found):
        found.path.unlink(missing_ok=True)
        if not AdminJob.objects.filter(what=DATASET.name, pk__gt=found.job.pk).exists():
            DATASET.request(by=None)


def _last_file() -> DatasetFile | None:
    done = AdminJob.objects.filter(what=DATASET.name, state=AdminJob.State.DONE).order_by("-pk").first()
    if done is None:
        return None
    path = Path(settings.SCOREBOOK_DATASET_FOLDER) / done.fields["file"]
    return DatasetFile(path, done, done.fields) if path.exists() else None


def _may_be_shown(found: DatasetFile) -> bool:
    """Return whether everybody in it still consents, and everybody may see its games. Which clubs have games in it was
    not stored with the files of earlier versions."""
    clubs = found.facts.get("clubs")
    if clubs is None or audience.private_audiences(clubs):
        return False
    return set(found.facts["people"]) <= dataset_consent.consenting_users()


def _remove_all_but(path: Path) -> None:
    for other in path.parent.glob("dataset-*.parquet*"):
        if other != path:
            other.unlink(missing_ok=True)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(HASHED_BYTES):
            digest.update(piece)
    return digest.hexdigest()
