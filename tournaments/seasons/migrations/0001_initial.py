"""Leagues and their seasons. What organisers did is an append-only log: the database refuses to change it."""

import django.contrib.postgres.fields
import django.db.models.deletion
import tournaments.seasons.models
from django.conf import settings
from django.db import migrations, models

FORWARDS = """
CREATE TRIGGER organiser_action_is_append_only BEFORE UPDATE OR DELETE ON seasons_organiseraction
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER organiser_action_is_not_truncated BEFORE TRUNCATE ON seasons_organiseraction
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
"""

BACKWARDS = """
DROP TRIGGER organiser_action_is_not_truncated ON seasons_organiseraction;
DROP TRIGGER organiser_action_is_append_only ON seasons_organiseraction;
"""


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('clubs', '0001_initial'),
        ('eventlog', '0001_initial'),
        ('games', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Division',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(default=1)),
                ('name', models.CharField(max_length=60)),
                ('rounds_opened', models.PositiveSmallIntegerField(default=0, help_text="Increased to claim the opening of a round.")),
                ('wakes_at', models.DateTimeField(blank=True, help_text="When the format is asked again, without a new event.", null=True)),
                ('waited_at', models.PositiveIntegerField(blank=True, help_text="Version of the season's stream at which the format had nothing to pair.", null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('is_playoff', models.BooleanField(default=False, help_text='Whether it is a play-off for places between two divisions.')),
                ('on_hold', models.BooleanField(default=False, help_text="The last round was undone; an organiser must allow the next pairing.")),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='Match',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.PositiveSmallIntegerField()),
                ('reason', models.JSONField(help_text='Sentences: each a code with its parameters.')),
                ('slot', models.CharField(blank=True, help_text="Position in a bracket or group.", max_length=20)),
                ('begins_at', models.DateTimeField(blank=True, help_text="Start of the first game; empty if no time is set.", null=True)),
                ('timing', models.CharField(choices=[('open', "immediately, or at any time"), ('fixed', "set by the calendar"), ('fallback', "unless the players agree on another time"), ('agreed', "agreed by the players"), ('night', "at night, between bots")], default='open', max_length=10)),
                ('timed_at', models.DateTimeField(blank=True, help_text="When the start time was set.", null=True)),
                ('opens_at', models.DateTimeField(blank=True, help_text="When the first games are to be opened; empty afterwards.", null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name_plural': 'matches',
                'ordering': ['table'],
            },
        ),
        migrations.CreateModel(
            name='Entrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('status', models.CharField(choices=[('asked', 'waits for approval'), ('waiting', 'on the waiting list'), ('in', 'entered'), ('alternate', 'waits for a free place'), ('withdrawn', 'Withdrawn'), ('out', 'not in the season')], default='in', max_length=10)),
                ('joined_at', models.DateTimeField()),
                ('checked_in_at', models.DateTimeField(blank=True, null=True)),
                ('away', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, default=list, help_text="Rounds that the entrant asked to miss.", size=None)),
                ('since', models.PositiveSmallIntegerField(default=1, help_text="The first round in which the entrant can be paired.")),
                ('division', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entrants', to='seasons.division')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='games.player')),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='League',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('slug', models.SlugField(max_length=60)),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='leagues', to='clubs.club')),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='ImportedGame',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(help_text='Number within the match, from 1.')),
                ('replay', models.PositiveSmallIntegerField(default=0)),
                ('ruling', models.CharField(choices=[('played', "as played"), ('adjudicated', 'decided'), ('annulled', "does not count"), ('replaced', "was replayed"), ('aborted', "was aborted")], max_length=12)),
                ('result', models.JSONField(help_text="As in the event: seats, scores, placings …")),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imported', to='seasons.match')),
            ],
            options={
                'ordering': ['number', 'replay'],
            },
        ),
        migrations.CreateModel(
            name='MatchEntrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('order', models.PositiveSmallIntegerField(help_text="Order from 0; entrant 0 has seat 0 in the first game.")),
                ('points', models.FloatField(blank=True, null=True)),
                ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='seasons.entrant')),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entrants', to='seasons.match')),
            ],
            options={
                'ordering': ['order'],
            },
        ),
        migrations.CreateModel(
            name='MatchGame',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(help_text='Number within the match, from 1.')),
                ('replay', models.PositiveSmallIntegerField(default=0, help_text="Attempt, from 1; higher after aborted games and ordered replays.")),
                ('recorded_at', models.DateTimeField(blank=True, null=True)),
                ('ruling', models.CharField(blank=True, choices=[('', "as played"), ('adjudicated', 'decided'), ('annulled', "does not count"), ('replaced', "is replayed")], default='', max_length=12)),
                ('result', models.JSONField(blank=True, help_text="{scores, placings} by seat, if adjudicated.", null=True)),
                ('game', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='match_game', to='games.game')),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='games', to='seasons.match')),
            ],
            options={
                'ordering': ['number', 'replay'],
            },
        ),
        migrations.CreateModel(
            name='OrganiserAction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('what', models.CharField(max_length=30)),
                ('events', models.JSONField()),
                ('key', models.CharField(blank=True, help_text="Idempotency key of the request.", max_length=64)),
                ('at', models.DateTimeField()),
                ('by', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('match', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='organiser_actions', to='seasons.match')),
                ('stream', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='organiser_actions', to='eventlog.stream')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Round',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('status', models.CharField(choices=[('open', 'Open'), ('closed', 'Closed'), ('undone', 'Undone')], default='open', max_length=10)),
                ('opened_at', models.DateTimeField()),
                ('closes_at', models.DateTimeField(blank=True, help_text="End of the round, including extensions; empty if the round waits for its "
                    "games.", null=True)),
                ('overdue_at', models.DateTimeField(blank=True, help_text="When the round ended with unplayed games and the season's rule was applied.", null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('division', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rounds', to='seasons.division')),
            ],
            options={
                'ordering': ['number'],
                'default_manager_name': 'objects',
            },
        ),
        migrations.AddField(
            model_name='match',
            name='round',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='seasons.round'),
        ),
        migrations.CreateModel(
            name='Bye',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.JSONField(help_text='Sentences: each a code with its parameters.')),
                ('kind', models.CharField(choices=[('bye', 'rests'), ('away', "is absent"), ('walkover', 'Walkover')], default='bye', max_length=10)),
                ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='byes', to='seasons.entrant')),
                ('missing', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='seasons.entrant')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='byes', to='seasons.round')),
            ],
        ),
        migrations.CreateModel(
            name='Season',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('slug', models.SlugField(max_length=60)),
                ('settings', models.JSONField(default=dict, help_text='All settings of the season. Some columns below repeat a part.')),
                ('kind', models.CharField(max_length=20)),
                ('options', models.JSONField(blank=True, default=dict, help_text="The game's options, complete.")),
                ('terms', models.JSONField(blank=True, default=dict, help_text='The terms of every game, such as clocks, complete.')),
                ('format', models.CharField(help_text='The code of the format.', max_length=30)),
                ('table_size', models.PositiveSmallIntegerField(default=2, help_text="Entrants per table.")),
                ('games_a_match', models.PositiveSmallIntegerField(default=2, help_text="Games per match; seats rotate.")),
                ('points', models.JSONField(default=dict, help_text='The points of a match, by its result.')),
                ('tie_breaks', models.JSONField(default=list, help_text='Codes of the tie-breaks, in order.')),
                ('pool', models.CharField(blank=True, help_text="Rating pool by the entrants at the start: people, bots or mixed.", max_length=10)),
                ('status', models.CharField(choices=[('open', 'open for entries'), ('running', 'Running'), ('paused', 'Paused'), ('finished', 'Finished'), ('abandoned', 'Abandoned')], default='open', max_length=10)),
                ('starts_at', models.DateTimeField()),
                ('delay_seconds', models.PositiveIntegerField(default=0, help_text="Delay of the remaining rounds behind the calendar, caused by pauses.")),
                ('paused_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('imported_at', models.DateTimeField(blank=True, help_text="When its first results were imported; empty if all games were played here.", null=True)),
                ('repeats', models.BooleanField(default=False, help_text="When it has finished, open the next season with the same settings and "
                    "entrants.")),
                ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seasons', to='seasons.league')),
                ('stream', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='season', to='eventlog.stream')),
                ('successor', models.OneToOneField(blank=True, help_text="The next season that was opened this way.", null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='predecessor', to='seasons.season')),
            ],
            options={
                'ordering': ['-starts_at'],
            },
        ),
        migrations.CreateModel(
            name='Note',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(blank=True, help_text="To remove the text, blank it; never change it.")),
                ('salt', models.CharField(default=tournaments.seasons.models.new_salt, editable=False, max_length=32)),
                ('created', models.DateTimeField()),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('season', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notes', to='seasons.season')),
            ],
            options={
                'ordering': ['created', 'id'],
            },
        ),
        migrations.AddField(
            model_name='entrant',
            name='season',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='seasons.season'),
        ),
        migrations.AddField(
            model_name='division',
            name='season',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='divisions', to='seasons.season'),
        ),
        migrations.AddConstraint(
            model_name='league',
            constraint=models.UniqueConstraint(fields=('club', 'slug'), name='one_league_a_slug'),
        ),
        migrations.AddConstraint(
            model_name='importedgame',
            constraint=models.UniqueConstraint(fields=('match', 'number', 'replay'), name='one_imported_game_a_number'),
        ),
        migrations.AddConstraint(
            model_name='matchentrant',
            constraint=models.UniqueConstraint(fields=('match', 'entrant'), name='once_a_match'),
        ),
        migrations.AddIndex(
            model_name='matchgame',
            index=models.Index(condition=models.Q(('recorded_at', None)), fields=['game'], name='game_unrecorded'),
        ),
        migrations.AddIndex(
            model_name='matchgame',
            index=models.Index(fields=['recorded_at'], name='game_recorded'),
        ),
        migrations.AddConstraint(
            model_name='matchgame',
            constraint=models.UniqueConstraint(fields=('match', 'number', 'replay'), name='one_game_a_number'),
        ),
        migrations.AddConstraint(
            model_name='organiseraction',
            constraint=models.UniqueConstraint(fields=('stream', 'version'), name='one_act_an_event'),
        ),
        migrations.AddConstraint(
            model_name='organiseraction',
            constraint=models.UniqueConstraint(condition=models.Q(('key', ''), _negated=True), fields=('stream', 'key'), name='one_act_a_key'),
        ),
        migrations.AddIndex(
            model_name='round',
            index=models.Index(condition=models.Q(('status', 'open')), fields=['id'], name='round_open'),
        ),
        migrations.AddIndex(
            model_name='round',
            index=models.Index(fields=['opened_at'], name='round_opened'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'undone'), _negated=True), fields=('division', 'number'), name='one_round_a_number'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('opens_at__isnull', False)), fields=['opens_at'], name='match_to_open'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('finished_at__isnull', False)), fields=['-finished_at'], name='match_finished'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('finished_at', None)), fields=['round'], name='match_unfinished'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.UniqueConstraint(fields=('round', 'table'), name='one_match_a_table'),
        ),
        migrations.AddConstraint(
            model_name='bye',
            constraint=models.UniqueConstraint(fields=('round', 'entrant'), name='one_bye_a_round'),
        ),
        migrations.AddIndex(
            model_name='season',
            index=models.Index(condition=models.Q(('status__in', ['running', 'paused'])), fields=['id'], name='season_running'),
        ),
        migrations.AddIndex(
            model_name='season',
            index=models.Index(condition=models.Q(('repeats', True), ('successor', None)), fields=['id'], name='season_to_repeat'),
        ),
        migrations.AddConstraint(
            model_name='season',
            constraint=models.UniqueConstraint(fields=('league', 'slug'), name='one_season_a_slug'),
        ),
        migrations.AddConstraint(
            model_name='entrant',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'out'), _negated=True), fields=('season', 'player'), name='one_entry_a_player'),
        ),
        migrations.AddConstraint(
            model_name='entrant',
            constraint=models.UniqueConstraint(fields=('season', 'number'), name='one_entrant_a_number'),
        ),
        migrations.AddConstraint(
            model_name='division',
            constraint=models.UniqueConstraint(fields=('season', 'number'), name='one_division_a_number'),
        ),
        migrations.RunSQL(FORWARDS, BACKWARDS),
    ]
