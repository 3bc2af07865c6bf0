"""Messages have the columns that every outbox has, and the result of an attempt is a code with its parameters."""

from django.db import migrations, models
from django.db.models import Q

# The time of a claim is that of the row while it is being sent. An old text becomes the sentence `written`. It is one
# statement, because a row that is changed twice would have pending checks of its keys, and then no column can change.
FORWARDS = """
UPDATE webhooks_delivery SET
  send_at = CASE send_state WHEN 'sending' THEN coalesce(claimed_at, send_at) ELSE send_at END,
  send_state = CASE send_state WHEN 'taken' THEN 'sent' ELSE send_state END,
  log = (
    SELECT coalesce(jsonb_agg(
      (attempt - 'words') || jsonb_build_object('sentences', jsonb_build_array(
        jsonb_build_array('written', jsonb_build_object('text', attempt->'words')))) ORDER BY number), '[]')
    FROM jsonb_array_elements(log) WITH ORDINALITY AS attempts(attempt, number));
"""
STATES = [
    ("none", "None"),
    ("due", "Waiting"),
    ("sending", "Sending"),
    ("sent", "Sent"),
    ("unsure", "Uncertain"),
    ("failed", "Failed"),
]


class Migration(migrations.Migration):

    dependencies = [
        ("webhooks", "0001_initial"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="delivery", name="delivery_due"),
        migrations.RemoveIndex(model_name="delivery", name="delivery_sending"),
        migrations.RenameField(model_name="delivery", old_name="state", new_name="send_state"),
        migrations.RenameField(model_name="delivery", old_name="due_at", new_name="send_at"),
        migrations.RunSQL(FORWARDS, elidable=True),
        migrations.RemoveField(model_name="delivery", name="claimed_at"),
        migrations.AlterField(
            model_name="delivery",
            name="send_state",
            field=models.CharField(choices=STATES, default="none", max_length=10),
        ),
        migrations.AlterField(
            model_name="delivery",
            name="send_at",
            field=models.DateTimeField(blank=True, help_text="When it is due, was claimed, or was sent.", null=True),
        ),
        migrations.AlterField(
            model_name="delivery",
            name="tries",
            field=models.PositiveSmallIntegerField(default=0, help_text="Attempts since it was requested."),
        ),
        migrations.AlterField(
            model_name="delivery",
            name="log",
            field=models.JSONField(
                blank=True, default=list, help_text="For each attempt: at, ms, status, sentences."
            ),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["webhook", "send_at"], condition=Q(send_state="due"), name="delivery_due"),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["send_at"], condition=Q(send_state="sending"), name="delivery_sending"),
        ),
    ]
