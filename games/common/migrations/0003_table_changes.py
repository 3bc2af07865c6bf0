"""Notes of changed tables. Triggers call `note_change_of_table`; each package's own migration adds them to its tables.

The arguments of a trigger are the columns that matter; none means all. They are compared here and not by the trigger's
WHEN, because PostgreSQL alters no column that a trigger names.
"""

import django.db.models.functions.datetime
from django.db import migrations, models

FORWARDS = """
CREATE FUNCTION note_change_of_table() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF tg_op = 'UPDATE' AND NOT EXISTS (
        SELECT FROM jsonb_object_keys(to_jsonb(NEW)) AS name
        WHERE (tg_nargs = 0 OR name = ANY(tg_argv)) AND to_jsonb(OLD) -> name IS DISTINCT FROM to_jsonb(NEW) -> name
    ) THEN
        RETURN NULL;
    END IF;
    INSERT INTO common_tablechange (name) VALUES (tg_table_name);
    RETURN NULL;
END $$;
"""


class Migration(migrations.Migration):

    dependencies = [
        ("common", "0002_incident_sentences"),
    ]

    operations = [
        migrations.CreateModel(
            name="TableChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="Of the table.", max_length=63)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), db_index=True)),
            ],
            options={"indexes": [models.Index(fields=["name", "id"], name="change_of_table")]},
        ),
        migrations.RunSQL(FORWARDS, "DROP FUNCTION note_change_of_table();"),
    ]
