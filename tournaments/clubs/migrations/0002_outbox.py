"""The columns of an email have the names that every outbox has."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    dependencies = [
        ("clubs", "0001_initial"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="invitation", name="invitation_to_mail"),
        migrations.RenameField(model_name="invitation", old_name="mail", new_name="send_state"),
        migrations.RenameField(model_name="invitation", old_name="mail_at", new_name="send_at"),
        migrations.RenameField(model_name="invitation", old_name="mail_error", new_name="send_error"),
        migrations.AlterField(
            model_name="invitation",
            name="send_at",
            field=models.DateTimeField(blank=True, help_text="When it is due, was claimed, or was sent.", null=True),
        ),
        migrations.AlterField(
            model_name="invitation",
            name="send_error",
            field=models.CharField(
                blank=True, help_text="The mail server's answer, if it refused.", max_length=200
            ),
        ),
        migrations.AlterField(
            model_name="invitation",
            name="tries",
            field=models.PositiveSmallIntegerField(default=0, help_text="Attempts since it was requested."),
        ),
        migrations.AddIndex(
            model_name="invitation",
            index=models.Index(
                fields=["send_at"],
                condition=Q(send_state__in=["due", "sending", "unsure", "failed"]),
                name="invitation_to_mail",
            ),
        ),
    ]
