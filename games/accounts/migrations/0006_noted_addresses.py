"""Changes of email addresses are noted: by a confirmed one a person is invited to a club."""

from django.db import migrations

from games.common.table_changes import noted


class Migration(migrations.Migration):

    dependencies = [
        ("common", "0003_table_changes"),
        ("accounts", "0005_noted_tables"),
        ("account", "0009_emailaddress_unique_primary_email"),
    ]

    operations = [
        noted("account_emailaddress", ["email", "verified", "user_id"]),
    ]
