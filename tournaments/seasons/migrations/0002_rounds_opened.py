"""Says what `rounds_opened` is since the log's version claims the opening of a round. The table stays as it is."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('seasons', '0001_initial'),
    ]

    operations = [
        migrations.AlterField(
            model_name='division',
            name='rounds_opened',
            field=models.PositiveSmallIntegerField(default=0, help_text='Paired rounds, without those that were undone.'),
        ),
    ]
