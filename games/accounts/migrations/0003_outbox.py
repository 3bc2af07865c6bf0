"""The columns of an email have the names that every outbox has."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0002_notice_sentences"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="notice", name="notice_to_mail"),
        migrations.RemoveIndex(model_name="notice", name="notice_not_mailed"),
        migrations.RenameField(model_name="notice", old_name="mail", new_name="send_state"),
        migrations.RenameField(model_name="notice", old_name="mail_at", new_name="send_at"),
        migrations.RenameField(model_name="notice", old_name="mail_error", new_name="send_error"),
        migrations.AlterField(
            model_name="notice",
            name="send_at",
            field=models.DateTimeField(blank=True, help_text="When it is due, was claimed, or was sent.", null=True),
        ),
        migrations.AlterField(
            model_name="notice",
            name="tries",
            field=models.PositiveSmallIntegerField(default=0, help_text="Attempts since it was requested."),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                fields=["send_at"], condition=Q(send_state__in=["due", "sending"]), name="notice_to_mail"
            ),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                fields=["send_at"], condition=Q(send_state__in=["unsure", "failed"]), name="notice_not_mailed"
            ),
        ),
    ]
