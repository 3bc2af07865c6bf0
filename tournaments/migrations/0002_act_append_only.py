"""What organisers did is an append-only log: rows name people by ids, and the database refuses to change them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

TRIGGERS = """
CREATE TRIGGER act_is_append_only BEFORE UPDATE OR DELETE ON tournaments_act
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER act_is_not_truncated BEFORE TRUNCATE ON tournaments_act
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
"""
BACKWARDS = """
DROP TRIGGER act_is_not_truncated ON tournaments_act;
DROP TRIGGER act_is_append_only ON tournaments_act;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0002_append_only"),
        ("tournaments", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="act",
            name="by",
            field=models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="act",
            name="match",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="acts",
                to="tournaments.match",
            ),
        ),
        migrations.AlterField(
            model_name="act",
            name="stream",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="acts", to="games.stream"
            ),
        ),
        migrations.RunSQL(TRIGGERS, BACKWARDS),
    ]
