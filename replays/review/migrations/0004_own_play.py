"""Own play is measured decision against decision, and what is left is *unexplained*.

Rows that exist hold both as own and others' play. They keep what they say of luck, and their play becomes unexplained:
they have no policy. `luck_ledgers` computes them again if their value function is still the present one.
"""

import django.contrib.postgres.fields
from django.db import migrations, models


def _shares():
    return django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), default=list, size=None)


FORWARD = """
UPDATE review_luckledger SET
    unexplained = ARRAY(
        SELECT mine + theirs FROM unnest(own, others) WITH ORDINALITY AS both_parts(mine, theirs, place) ORDER BY place
    ),
    own = array_fill(0::double precision, ARRAY[cardinality(own)]),
    others = array_fill(0::double precision, ARRAY[cardinality(own)]),
    start_error = luck_error,
    own_error = array_fill(0::double precision, ARRAY[cardinality(own)]),
    others_error = array_fill(0::double precision, ARRAY[cardinality(own)]),
    unexplained_error = luck_error,
    entries = (
        SELECT COALESCE(jsonb_agg(
            CASE WHEN entry->>1 = 'decision' THEN jsonb_build_array(entry->0, 'unexplained', NULL, entry->3)
            ELSE entry END ORDER BY place
        ), '[]') FROM jsonb_array_elements(entries) WITH ORDINALITY AS each_entry(entry, place)
    )
WHERE state = 'done'
"""
BACKWARD = """
UPDATE review_luckledger SET own = unexplained WHERE state = 'done' AND policy = ''
"""


class Migration(migrations.Migration):

    dependencies = [
        ('review', '0003_no_ledger_of_continuations'),
    ]

    operations = [
        migrations.RenameField(model_name='luckledger', old_name='error', new_name='luck_error'),
        migrations.AlterField(model_name='luckledger', name='luck_error', field=_shares()),
        migrations.AddField(
            model_name='luckledger',
            name='policy',
            field=models.CharField(blank=True, default='', help_text='The built-in bot with whose moves decisions are compared; empty: none are.', max_length=20),
            preserve_default=False,
        ),
        migrations.AddField(model_name='luckledger', name='unexplained', field=_shares()),
        migrations.AddField(model_name='luckledger', name='start_error', field=_shares()),
        migrations.AddField(model_name='luckledger', name='own_error', field=_shares()),
        migrations.AddField(model_name='luckledger', name='others_error', field=_shares()),
        migrations.AddField(model_name='luckledger', name='unexplained_error', field=_shares()),
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
