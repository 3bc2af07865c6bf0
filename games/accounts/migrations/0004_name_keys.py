"""Names that pass for an older one by Unicode's data of confusable letters get a marked key (`renew_keys`)."""

from typing import Any

from django.conf import settings
from django.db import migrations

from games.accounts.name_keys import renew_keys


def renew(apps: Any, _schema_editor: Any) -> None:
    renew_keys(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_outbox"),
        ("games", "0003_bounds"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [migrations.RunPython(renew, migrations.RunPython.noop)]
