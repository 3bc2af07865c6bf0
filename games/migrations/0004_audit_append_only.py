"""What admins did is an append-only log too: rows name people by ids, and the database refuses to change them.

Rows that are there are brought to that form: people are named by id, and of names and addresses a hash is kept.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.utils.crypto import salted_hmac

PRIVATE = {"rename": "to", "confirm_address": "address", "transfer_club": "to"}

PEOPLE = """
UPDATE games_adminaction SET target_id = auth_user.id::text
FROM auth_user WHERE target_type = 'person' AND target_id = auth_user.username;
UPDATE games_adminaction SET target_id = substr(target_id, 8)
WHERE target_type = 'person' AND target_id ~ '^former [0-9]+$';
UPDATE games_adminaction SET outcome = 'The name is taken away; their page has the new one.'
WHERE action = 'rename' AND target_type = 'person';
"""
TRIGGERS = """
CREATE TRIGGER admin_action_is_append_only BEFORE UPDATE OR DELETE ON games_adminaction
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER admin_action_is_not_truncated BEFORE TRUNCATE ON games_adminaction
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
"""
BACKWARDS = """
DROP TRIGGER admin_action_is_not_truncated ON games_adminaction;
DROP TRIGGER admin_action_is_append_only ON games_adminaction;
"""


def hash_private_fields(apps, schema_editor):
    for row in apps.get_model("games", "AdminAction").objects.filter(action__in=PRIVATE):
        name = PRIVATE[row.action]
        if value := row.fields.get(name):
            made = salted_hmac("games.admin_actions.registry", value, algorithm="sha256").hexdigest()[:32]
            row.fields[name] = f"hmac:{made}"
            row.save(update_fields=["fields"])


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0003_restart_limit"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="adminaction",
            name="by",
            field=models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="admin_actions",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="adminaction",
            name="fields",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="What else was asked for, as it was sent; of names and addresses a hash.",
            ),
        ),
        migrations.AlterField(
            model_name="adminaction",
            name="target_id",
            field=models.CharField(
                blank=True, help_text="A game's public id; of a person, their id.", max_length=200
            ),
        ),
        migrations.RunSQL(PEOPLE, migrations.RunSQL.noop),
        migrations.RunPython(hash_private_fields, migrations.RunPython.noop),
        migrations.RunSQL(TRIGGERS, BACKWARDS),
    ]
