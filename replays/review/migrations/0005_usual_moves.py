"""A ledger keeps the moves that decisions were compared with. `luck_ledgers` adds them to rows that exist."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('review', '0004_own_play'),
    ]

    operations = [
        migrations.AddField(
            model_name='luckledger',
            name='usual',
            field=models.JSONField(default=list, help_text='For each decision among the entries, in their order, the usual moves it was compared with.'),
        ),
    ]
