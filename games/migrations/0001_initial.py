"""Players, bots and games."""

import django.contrib.postgres.fields
import django.db.models.deletion
import games.models
from django.conf import settings
from django.db import migrations, models

FORWARDS = """
-- How few games are watched with a delay: without it a third of all is expected, and whoever asks for those that are
-- on has the whole table gone through.
CREATE STATISTICS game_watch_delay ON (terms -> 'watch_delay') FROM games_game;
"""

BACKWARDS = "DROP STATISTICS game_watch_delay;"


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('eventlog', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Deal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seed', models.BinaryField(default=games.models.new_seed)),
                ('revealed_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Bot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40, unique=True)),
                ('key', models.CharField(blank=True, help_text="The name of an author's bot without what only a second look notices, such as case.", max_length=200, null=True, unique=True)),
                ('description', models.TextField(blank=True, max_length=2000)),
                ('visibility', models.CharField(choices=[('public', 'Public'), ('private', 'Private')], default='public', max_length=10)),
                ('stopped', models.CharField(blank=True, choices=[('taken_down', "taken down by an admin"), ('ban', "author is banned")], help_text="Why none of its versions may play.", max_length=10)),
                ('stop_reason', models.TextField(blank=True, help_text="The reason that its author is shown.")),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='bots', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='BotVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('transport', models.CharField(choices=[('built_in', "in the worker’s process"), ('upload', 'in a sandbox'), ('remote', "on its author’s machine")], max_length=10)),
                ('program', models.CharField(help_text='Of a built-in bot its name, otherwise “upload”.', max_length=40)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('sha256', models.CharField(blank=True, help_text="SHA-256 of the source, in hex.", max_length=64)),
                ('size', models.PositiveIntegerField(default=0, help_text="Size of the source in bytes.")),
                ('state', models.CharField(choices=[('admission', 'in admission'), ('passed', 'admitted'), ('refused', 'refused'), ('quarantined', 'quarantined'), ('retired', 'retired'), ('taken_down', 'taken down')], default='passed', max_length=12)),
                ('reason', models.TextField(blank=True)),
                ('kinds', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=20), blank=True, default=list, help_text="Games that the bot declares.", size=None)),
                ('quarantines', models.PositiveSmallIntegerField(default=0, help_text="How many times it was put into quarantine.")),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='games.bot')),
            ],
        ),
        migrations.AddField(
            model_name='bot',
            name='plays',
            field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='games.botversion'),
        ),
        migrations.CreateModel(
            name='Game',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=games.models.public_id, max_length=8, unique=True)),
                ('kind', models.CharField(max_length=20)),
                ('rules_version', models.PositiveSmallIntegerField()),
                ('options', models.JSONField(default=dict)),
                ('terms', models.JSONField(default=dict)),
                ('salt', models.BinaryField(default=games.models.new_salt)),
                ('continued_at', models.PositiveIntegerField(blank=True, help_text="The event from which this game was continued.", null=True)),
                ('status', models.CharField(choices=[('playing', 'Playing'), ('finished', 'Finished'), ('aborted', 'Aborted')], default='playing', max_length=10)),
                ('version', models.PositiveIntegerField(default=0)),
                ('to_act', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), default=list, help_text="Seats that the game waits for.", size=None)),
                ('awaited_since', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), default=list, help_text="For each seat of `to_act`, the version at which its turn began.", size=None)),
                ('deadline', models.DateTimeField(blank=True, help_text="When the next clock runs out.", null=True)),
                ('outcome', models.JSONField(blank=True, null=True)),
                ('opened_at', models.DateTimeField()),
                ('begins_at', models.DateTimeField(blank=True, help_text='Start time of a game with check-in; empty after GO.', null=True)),
                ('moved_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('played_by_workers', models.BooleanField(default=False, help_text="Workers play all seats: only built-in and uploaded bots.")),
                ('awaits_worker', models.BooleanField(default=False, help_text="A worker plays a seat that may move now.")),
                ('sandboxed', models.BooleanField(default=False, help_text="An uploaded bot has a seat, so only a worker with a sandbox plays the game.")),
                ('audience_club_id', models.PositiveBigIntegerField(blank=True, help_text="Only members of this club and the players may see the game; empty: everybody.", null=True)),
                ('part', models.CharField(blank=True, help_text="The step of the trial that the game belongs to.", max_length=40)),
                ('attempt', models.PositiveIntegerField(default=0, help_text="How often workers have claimed the game; used as a fencing token.")),
                ('leased_by', models.CharField(blank=True, max_length=80)),
                ('leased_until', models.DateTimeField(blank=True, null=True)),
                ('failures', models.PositiveSmallIntegerField(default=0, help_text="Consecutive attempts that stored no event.")),
                ('retry_at', models.DateTimeField(blank=True, help_text="No worker claims it before this time.", null=True)),
                ('continued_from', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='continuations', to='games.game')),
                ('deal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='games', to='games.deal')),
                ('rematch_of', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='rematch', to='games.game')),
                ('stream', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='game', to='eventlog.stream')),
            ],
        ),
        migrations.CreateModel(
            name='PendingBundle',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('beat', models.PositiveIntegerField()),
                ('seat', models.PositiveSmallIntegerField()),
                ('moves', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), size=None)),
                ('at', models.DateTimeField(help_text="When the seat submitted its first bundle of this beat, which ended its turn.")),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='games.game')),
            ],
        ),
        migrations.CreateModel(
            name='Player',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40)),
                ('key', models.CharField(blank=True, help_text="The person's name without what only a second look notices, such as case.", max_length=200, null=True, unique=True)),
                ('from_file', models.BooleanField(default=False, help_text="Has no account: a name in a season imported from a file.")),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('bot_version', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='player', to='games.botversion')),
                ('user', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='player', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['name', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('score', models.IntegerField(blank=True, null=True)),
                ('placing', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('left', models.CharField(blank=True, help_text="resigned or forfeited, if the player has left.", max_length=10)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='games.game')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='games.player')),
            ],
            options={
                'ordering': ['seat'],
            },
        ),
        migrations.CreateModel(
            name='Trial',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(choices=[('admission', 'admission'), ('comparison', 'comparison')], max_length=12)),
                ('kind', models.CharField(blank=True, help_text="For comparisons only.", max_length=20)),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('running', 'running'), ('done', 'done'), ('given_up', "given up")], default='waiting', max_length=10)),
                ('steps', models.JSONField(default=list)),
                ('result', models.JSONField(default=dict)),
                ('created', models.DateTimeField()),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('served_at', models.DateTimeField(help_text="When a worker last ran it. The trial that has waited longest is next.")),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('leased_by', models.CharField(blank=True, max_length=80)),
                ('leased_until', models.DateTimeField(blank=True, null=True)),
                ('failures', models.PositiveSmallIntegerField(default=0, help_text="Consecutive attempts that failed because of the platform.")),
                ('against', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='games.botversion')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='trials', to='games.botversion')),
            ],
        ),
        migrations.AddField(
            model_name='game',
            name='trial',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='games', to='games.trial'),
        ),
        migrations.AddConstraint(
            model_name='botversion',
            constraint=models.UniqueConstraint(fields=('bot', 'number'), name='one_bot_version_a_number'),
        ),
        migrations.AddConstraint(
            model_name='botversion',
            constraint=models.UniqueConstraint(condition=models.Q(('sha256', ''), _negated=True), fields=('bot', 'sha256'), name='same_bytes_once'),
        ),
        migrations.AddConstraint(
            model_name='pendingbundle',
            constraint=models.UniqueConstraint(fields=('game', 'beat', 'seat'), name='one_bundle_a_beat'),
        ),
        migrations.AddIndex(
            model_name='player',
            index=models.Index(fields=['name'], name='games_playe_name_9db6fc_idx'),
        ),
        migrations.AddIndex(
            model_name='seat',
            index=models.Index(fields=['player', '-game'], name='seat_by_player'),
        ),
        migrations.AddConstraint(
            model_name='seat',
            constraint=models.UniqueConstraint(fields=('game', 'seat'), name='one_player_a_seat'),
        ),
        migrations.AddIndex(
            model_name='trial',
            index=models.Index(condition=models.Q(('state__in', ['waiting', 'running'])), fields=['served_at'], name='trial_waiting'),
        ),
        migrations.AddConstraint(
            model_name='trial',
            constraint=models.UniqueConstraint(condition=models.Q(('what', 'admission')), fields=('version',), name='one_admission_a_version'),
        ),
        migrations.AddConstraint(
            model_name='trial',
            constraint=models.UniqueConstraint(condition=models.Q(('what', 'comparison')), fields=('version', 'against', 'kind'), name='one_comparison_a_pair'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(condition=models.Q(('awaits_worker', True), ('status', 'playing')), fields=['failures', 'id'], name='game_claimable'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(condition=models.Q(('status', 'playing')), fields=['deadline'], name='game_deadline'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(condition=models.Q(('begins_at__isnull', False)), fields=['begins_at'], name='game_appointed'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(fields=['-finished_at'], name='game_finished'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(fields=['status', '-opened_at'], name='game_by_status'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(fields=['kind', '-id'], name='game_by_kind'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(condition=models.Q(('terms__watch_delay__gt', 0)), fields=['finished_at'], name='game_delayed'),
        ),
        migrations.RunSQL(FORWARDS, BACKWARDS),
    ]
