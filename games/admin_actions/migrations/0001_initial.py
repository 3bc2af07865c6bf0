"""What admins did is an append-only log: rows name people by ids, and the database refuses to change them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

FORWARDS = """
CREATE TRIGGER admin_action_is_append_only BEFORE UPDATE OR DELETE ON admin_actions_adminaction
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER admin_action_is_not_truncated BEFORE TRUNCATE ON admin_actions_adminaction
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
"""

BACKWARDS = """
DROP TRIGGER admin_action_is_not_truncated ON admin_actions_adminaction;
DROP TRIGGER admin_action_is_append_only ON admin_actions_adminaction;
"""


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ("eventlog", "0001_initial"),  # has `refuse_change`
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AdminAction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_index=True)),
                ('action', models.CharField(help_text="The code of the action.", max_length=40)),
                ('target_type', models.CharField(blank=True, help_text='game, bot-version …; empty: the platform.', max_length=20)),
                ('target_id', models.CharField(blank=True, help_text="Id of the target: a game's public id, a user's id.", max_length=200)),
                ('fields', models.JSONField(blank=True, default=dict, help_text="Further fields of the request; names and addresses as hashes.")),
                ('reason', models.TextField()),
                ('outcome', models.TextField(help_text="The result, in a sentence.")),
                ('key', models.CharField(blank=True, help_text="Idempotency key of the form or the caller.", max_length=64)),
                ('by', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='admin_actions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['target_type', 'target_id'], name='admin_action_of_target')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('key', ''), _negated=True), fields=('by', 'key'), name='one_admin_action_a_key')],
            },
        ),
        migrations.RunSQL(FORWARDS, BACKWARDS),
    ]
