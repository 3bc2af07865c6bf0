"""Requests that were sent before, limits of the API, incidents."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

FORWARDS = """
-- Counts of who asked how often are written with every request, and need not outlive a crash of the database.
ALTER TABLE common_ratebucket SET UNLOGGED;
ALTER TABLE common_ratebucket SET (fillfactor = 50);
"""

BACKWARDS = """
ALTER TABLE common_ratebucket RESET (fillfactor);
ALTER TABLE common_ratebucket SET LOGGED;
"""


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('games', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='RateBucket',
            fields=[
                ('key', models.CharField(max_length=80, primary_key=True, serialize=False)),
                ('empty_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Incident',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_index=True)),
                ('cause', models.CharField(choices=[('worker_lost', 'Worker lost'), ('crashed', 'Crashed'), ('illegal_move', 'Illegal move'), ('infrastructure', 'Infrastructure'), ('disk_full', 'Disk full')], max_length=20)),
                ('sentence', models.TextField()),
                ('detail', models.TextField(blank=True, help_text="Traceback or other details; for admins only.")),
                ('times', models.PositiveIntegerField(default=1, help_text="How often it occurred; `at` is the last time.")),
                ('game', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='incidents', to='games.game')),
                ('player', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to='games.player')),
            ],
            options={
                'ordering': ['-at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='SentRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64)),
                ('request', models.TextField(help_text="Hash of the request: method, address and body.")),
                ('status', models.PositiveSmallIntegerField(default=0)),
                ('answer', models.JSONField(null=True)),
                ('created', models.DateTimeField(db_index=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='one_request_a_key')],
            },
        ),
        migrations.RunSQL(FORWARDS, BACKWARDS),
    ]
