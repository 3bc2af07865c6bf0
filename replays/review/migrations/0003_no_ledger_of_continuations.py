from django.db import migrations, models


def delete_ledgers_of_continuations(apps, schema_editor):
    """Delete them; the next search adds a row that says why there is none."""
    apps.get_model("review", "LuckLedger").objects.filter(game__continued_from__isnull=False).delete()


class Migration(migrations.Migration):

    dependencies = [
        ('review', '0002_game_review'),
    ]

    operations = [
        migrations.AlterField(
            model_name='luckledger',
            name='reason',
            field=models.CharField(blank=True, choices=[('no_kind', 'the kind is not installed'), ('no_value_function', 'the kind has no value function'), ('other_rules', 'the value function is for other rules'), ('not_dealt', 'nothing was drawn or decided'), ('continued', 'the game continues another one with its cards')], help_text='Why there is no ledger.', max_length=20),
        ),
        migrations.RunPython(delete_ledgers_of_continuations, migrations.RunPython.noop),
    ]
