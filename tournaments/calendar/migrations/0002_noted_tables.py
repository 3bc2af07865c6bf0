"""Changes of proposed times are noted, for rendered pages."""

from django.db import migrations

from games.common.table_changes import noted


class Migration(migrations.Migration):

    dependencies = [
        ("common", "0003_table_changes"),
        ("calendar", "0001_initial"),
    ]

    operations = [
        noted("calendar_proposal"),
        noted("calendar_proposalanswer"),
    ]
