from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def tell_anew(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Rounds that calendars did not have so far are told when a calendar is asked for next."""
    apps.get_model("tournaments", "CalendarState").objects.update(version=0)


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0002_act_append_only")]

    operations = [
        migrations.AddField(
            model_name="calendarentry",
            name="last",
            field=models.PositiveSmallIntegerField(
                default=0, help_text="The last of several rounds; 0 or `round` for one."
            ),
        ),
        migrations.RunPython(tell_anew, migrations.RunPython.noop),
    ]
