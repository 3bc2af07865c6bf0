"""Streams and batches. The log is append-only: the database refuses whoever wants to change it, the owner of the tables too.

What was written stays (`batch`), and a stream only ever grows (`stream`). The application's role has no right to do
any of this in the first place (`games.operations.database_roles`).
"""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

FORWARDS = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A log is append-only: % on % is refused.', tg_op, tg_table_name
        USING ERRCODE = 'restrict_violation', HINT = 'Write what is so now as a new event, by games.eventlog.store.append.';
END $$;

CREATE TRIGGER batch_is_append_only BEFORE UPDATE OR DELETE ON batch
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER batch_is_not_truncated BEFORE TRUNCATE ON batch
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER stream_only_grows BEFORE UPDATE ON stream FOR EACH ROW
    WHEN (NEW.version < OLD.version OR (NEW.version = OLD.version AND NEW.head <> OLD.head)
          OR NEW.id <> OLD.id OR NEW.subject <> OLD.subject OR NEW.created <> OLD.created)
    EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stream_is_not_deleted BEFORE DELETE ON stream
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stream_is_not_truncated BEFORE TRUNCATE ON stream
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Room in every page for a stream's next version beside the old one: an append touches no index then.
ALTER TABLE stream SET (fillfactor = 80);
"""

BACKWARDS = """
ALTER TABLE stream RESET (fillfactor);
DROP TRIGGER stream_is_not_truncated ON stream;
DROP TRIGGER stream_is_not_deleted ON stream;
DROP TRIGGER stream_only_grows ON stream;
DROP TRIGGER batch_is_not_truncated ON batch;
DROP TRIGGER batch_is_append_only ON batch;
DROP FUNCTION refuse_change();
"""


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Stream',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(choices=[('game', 'Game'), ('season', 'Season'), ('rating_pool', 'Rating Pool')], max_length=12)),
                ('version', models.PositiveIntegerField(default=0, help_text="Number of events in the stream.")),
                ('head', models.BinaryField(default=b'\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00', help_text="Head of the hash chain; as secret as the log itself.")),
                ('created', models.DateTimeField()),
            ],
            options={
                'db_table': 'stream',
            },
        ),
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('pk', models.CompositePrimaryKey('stream_id', 'seq', blank=True, editable=False, primary_key=True, serialize=False)),
                ('seq', models.PositiveIntegerField(help_text='The version of the stream before this batch.')),
                ('count', models.PositiveIntegerField()),
                ('times', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveBigIntegerField(), help_text="Time of each event, in ms since the stream was opened.", size=None)),
                ('at', models.DateTimeField()),
                ('body', models.BinaryField(help_text="The events, encoded.")),
                ('stream', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='batches', to='eventlog.stream')),
            ],
            options={
                'db_table': 'batch',
            },
        ),
        migrations.RunSQL(FORWARDS, BACKWARDS),
    ]
