"""Changes of users that pages show are noted, for rendered pages."""

from django.db import migrations

from games.common.table_changes import noted


class Migration(migrations.Migration):

    dependencies = [
        ("common", "0003_table_changes"),
        ("accounts", "0004_name_keys"),
        ("auth", "0001_initial"),
    ]

    operations = [
        noted("auth_user", ["username", "is_active", "is_staff"]),
    ]
