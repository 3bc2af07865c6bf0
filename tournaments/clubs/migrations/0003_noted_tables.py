"""Changes of clubs and their people are noted, for rendered pages."""

from django.db import migrations

from games.common.table_changes import noted


class Migration(migrations.Migration):

    dependencies = [
        ("common", "0003_table_changes"),
        ("clubs", "0002_outbox"),
    ]

    operations = [
        noted("clubs_club"),
        noted("clubs_membership"),
        noted("clubs_joinrequest"),
        noted("clubs_invitation"),
        noted("clubs_clubpost"),
    ]
