"""The log is append-only: the database refuses whoever wants to change it, the owner of the tables too.

What was written stays (`batch`), and a stream only ever grows (`stream`). The application's role has no right to do
any of this in the first place (`games.operations.database_roles`).
"""

from django.db import migrations

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

-- Counts of who asked how often are written with every request, and need not outlive a crash of the database.
ALTER TABLE allowance SET UNLOGGED;
ALTER TABLE allowance SET (fillfactor = 50);

-- How few games are watched with a delay: without it a third of all is expected, and whoever asks for those that are
-- on has the whole table gone through.
CREATE STATISTICS game_watch_delay ON (terms -> 'watch_delay') FROM games_game;
"""

BACKWARDS = """
DROP STATISTICS game_watch_delay;
ALTER TABLE allowance RESET (fillfactor);
ALTER TABLE allowance SET LOGGED;
ALTER TABLE stream RESET (fillfactor);
DROP TRIGGER stream_is_not_truncated ON stream;
DROP TRIGGER stream_is_not_deleted ON stream;
DROP TRIGGER stream_only_grows ON stream;
DROP TRIGGER batch_is_not_truncated ON batch;
DROP TRIGGER batch_is_append_only ON batch;
DROP FUNCTION refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [("games", "0001_initial")]

    operations = [migrations.RunSQL(FORWARDS, BACKWARDS)]
