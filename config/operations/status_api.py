"""The shape of `status/`: the account of `games.operations.status`, and what is wrong."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class AlertActionSerializer(serializers.Serializer[Any]):
    """Something that can be done about it, by `POST admin/actions/`; `reason` is a proposal."""

    action = serializers.CharField()
    target = serializers.CharField()
    words = serializers.CharField()
    reason = serializers.CharField()


class AlertSerializer(serializers.Serializer[Any]):
    """Something that is wrong now: since when, why, and what can be done."""

    what = serializers.CharField()
    title = serializers.CharField()
    since = serializers.DateTimeField()
    state = serializers.CharField(help_text="stuck, warn or fault.")
    sentence = serializers.CharField()
    page = serializers.CharField(help_text="Where there is more about it; may be empty.")
    deeds = AlertActionSerializer(many=True)


class StuckGameSerializer(serializers.Serializer[Any]):
    """A game that does not go on."""

    game = serializers.CharField()
    kind = serializers.CharField()
    since = serializers.DateTimeField()
    reason = serializers.CharField()
    failures = serializers.IntegerField()
    attempt = serializers.IntegerField()
    worker = serializers.CharField()
    suspects = serializers.ListField(child=serializers.CharField())
    place = serializers.CharField(help_text="Where in a league it is played; may be empty.")


class WaitingSerializer(serializers.Serializer[Any]):
    """How many games wait for the same thing."""

    code = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of that name
    games = serializers.IntegerField()
    oldest = serializers.DateTimeField()


class StuckTrialSerializer(serializers.Serializer[Any]):
    """A gate or comparison at which the platform failed."""

    title = serializers.CharField()
    bot = serializers.CharField()
    version = serializers.IntegerField()
    since = serializers.DateTimeField()
    given_up = serializers.BooleanField()
    reason = serializers.CharField()
    trial = serializers.IntegerField()


class WorkerSerializer(serializers.Serializer[Any]):
    """A worker: whether it is alive, what it holds, and its sandbox."""

    name = serializers.CharField()
    alive = serializers.BooleanField()
    started_at = serializers.DateTimeField()
    heartbeat_at = serializers.DateTimeField()
    stopped_at = serializers.DateTimeField(allow_null=True)
    queues = serializers.ListField(child=serializers.CharField(), help_text="That it takes work from.")
    holds = serializers.IntegerField(help_text="Games that it has leases of.")
    games_played = serializers.IntegerField()
    games_an_hour = serializers.IntegerField()
    tier = serializers.CharField(help_text="Of its sandbox: A, none, or empty if it has none.")
    tier_reason = serializers.CharField()
    policy_hash = serializers.CharField()
    attacks = serializers.IntegerField(help_text="Made on its sandbox at its start.")
    attacks_held = serializers.IntegerField()


class IncidentSerializer(serializers.Serializer[Any]):
    """Something that went wrong."""

    at = serializers.DateTimeField()
    cause = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of that name
    game = serializers.CharField(allow_null=True)
    sentence = serializers.CharField()
    times = serializers.IntegerField(help_text="How often it came in that game, the last time at `at`.")


class QueueSerializer(serializers.Serializer[Any]):
    """What waits, and for how many seconds the oldest does."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of that name
    place = serializers.CharField(help_text="messages: of the broker; due: work found in the database.")
    waiting = serializers.IntegerField()
    oldest = serializers.FloatField(allow_null=True)


class BotFaultsSerializer(serializers.Serializer[Any]):
    """How often a version failed in one way within 24 hours."""

    version = serializers.CharField()
    bot = serializers.CharField()
    plays = serializers.BooleanField()
    kind = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of that name
    times = serializers.IntegerField()
    last_hour = serializers.IntegerField()
    first = serializers.DateTimeField(allow_null=True, help_text="Within the last hour.")


class MailsSerializer(serializers.Serializer[Any]):
    """E-mails that did not go out."""

    waiting = serializers.IntegerField()
    waiting_since = serializers.DateTimeField(allow_null=True)
    trouble = serializers.CharField(help_text="What the mail server answered last.")
    unsure = serializers.IntegerField()
    failed = serializers.IntegerField()
    unsettled_since = serializers.DateTimeField(allow_null=True)
    unsure_ids = serializers.ListField(child=serializers.IntegerField())


class OpenReportSerializer(serializers.Serializer[Any]):
    """A report that nobody has answered."""

    report = serializers.IntegerField()
    cause = serializers.CharField()
    target = serializers.CharField()
    about = serializers.CharField(help_text="Who answers for what was reported; may be empty.")
    since = serializers.DateTimeField()


class OpenObjectionSerializer(serializers.Serializer[Any]):
    """An objection that nobody has answered."""

    measure = serializers.IntegerField()
    kind = serializers.CharField()
    person = serializers.CharField()
    since = serializers.DateTimeField()


class OpenDecisionsSerializer(serializers.Serializer[Any]):
    """What waits for an admin to decide; the oldest five are listed."""

    reports = serializers.IntegerField()
    reports_since = serializers.DateTimeField(allow_null=True)
    objections = serializers.IntegerField()
    objections_since = serializers.DateTimeField(allow_null=True)
    listed_reports = OpenReportSerializer(many=True)
    listed_objections = OpenObjectionSerializer(many=True)


class QuarantinedSerializer(serializers.Serializer[Any]):
    """A version of a bot in quarantine, and why."""

    version = serializers.CharField()
    bot = serializers.CharField()
    reason = serializers.CharField()


class FailingWebhookSerializer(serializers.Serializer[Any]):
    """A webhook that is not taken, or was switched off within days."""

    webhook = serializers.IntegerField()
    whose = serializers.CharField(help_text="Of which club or person.")
    host = serializers.CharField()
    off = serializers.CharField(help_text="silent, gone, admin, or empty while it is on.")
    failures = serializers.IntegerField(help_text="Tries in a row.")
    since = serializers.DateTimeField()
    waiting = serializers.IntegerField()
    trouble = serializers.CharField(help_text="What came of the last try.")


class WebhookStatusSerializer(serializers.Serializer[Any]):
    """Webhooks: how many are on, fail, and were switched off for that; the five longest."""

    on = serializers.IntegerField()
    failing = serializers.IntegerField()
    off = serializers.IntegerField()
    listed = FailingWebhookSerializer(many=True)


class SeasonStatusRowSerializer(serializers.Serializer[Any]):
    """A season under way."""

    season = serializers.CharField(help_text="club/league/season, as actions name it.")
    title = serializers.CharField()
    club = serializers.CharField()
    status = serializers.CharField(help_text="running or paused.")
    paused_at = serializers.DateTimeField(allow_null=True)


class DailyCountSerializer(serializers.Serializer[Any]):
    """What happened on one day (UTC)."""

    day = serializers.DateField()
    games = serializers.IntegerField()
    sign_ups = serializers.IntegerField()
    uploads = serializers.IntegerField()
    refused = serializers.IntegerField()
    log_growth = serializers.IntegerField(allow_null=True, help_text="Bytes.")
    now = serializers.BooleanField(help_text="Today, so far.")


class JobSerializer(serializers.Serializer[Any]):
    """Something long that an admin asked for."""

    what = serializers.CharField()
    state = serializers.CharField()
    by = serializers.CharField(allow_null=True)
    asked_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    heard_at = serializers.DateTimeField(allow_null=True)
    progress = serializers.CharField()
    result = serializers.CharField()
    job = serializers.IntegerField()


class RecentAdminActionSerializer(serializers.Serializer[Any]):
    """What an admin did."""

    at = serializers.DateTimeField()
    by = serializers.CharField(allow_null=True)
    action = serializers.CharField()
    target_type = serializers.CharField()
    target_id = serializers.CharField()
    target = serializers.CharField(help_text="As it is called.")
    reason = serializers.CharField()
    outcome = serializers.CharField()


class StatusSerializer(serializers.Serializer[Any]):
    """How the house is doing at `at`. Lists hold the oldest twenty; the counts count all."""

    at = serializers.DateTimeField()
    engines = serializers.CharField(help_text="compiled or plain, in this web process.")
    wrong = AlertSerializer(many=True)
    playing = serializers.IntegerField()
    resumed = serializers.IntegerField(help_text="Of those, played on after a worker that had them was lost.")
    waiting = serializers.IntegerField()
    stuck = serializers.IntegerField()
    waiting_for = WaitingSerializer(many=True)
    waiting_games = StuckGameSerializer(many=True)
    stuck_games = StuckGameSerializer(many=True)
    trials = StuckTrialSerializer(many=True)
    workers = WorkerSerializer(many=True)
    incidents = IncidentSerializer(many=True)
    ticked_at = serializers.DateTimeField(allow_null=True, help_text="When a worker last did beat's tick.")
    tick_sent_at = serializers.DateTimeField(
        allow_null=True, help_text="When beat last asked for one. Old: beat does not run. Else the queue is late."
    )
    web_at = serializers.DateTimeField(allow_null=True)
    queues = QueueSerializer(many=True)
    faults = BotFaultsSerializer(many=True)
    causes = serializers.DictField(child=serializers.IntegerField(), help_text="Incidents of 24 hours by cause.")
    mails = MailsSerializer()
    invitations = MailsSerializer(help_text="Those sent by e-mail.")
    hooks = WebhookStatusSerializer()
    undecided = OpenDecisionsSerializer()
    quarantined = QuarantinedSerializer(many=True, help_text="The newest five.")
    seasons = SeasonStatusRowSerializer(many=True, help_text="Five of those under way, the paused first.")
    seasons_going = serializers.IntegerField(help_text="How many are under way.")
    days = DailyCountSerializer(many=True)
    log_bytes = serializers.IntegerField()
    database_bytes = serializers.IntegerField()
    disk_used = serializers.FloatField(help_text="0 to 1, of the machine of this web process.")
    disk_full_at = serializers.DateTimeField(
        allow_null=True, help_text="When the database last refused to write, its disk being full; within minutes."
    )
    signup_closed_at = serializers.DateTimeField(allow_null=True)
    signup_reason = serializers.CharField()
    jobs = JobSerializer(many=True)
    actions = RecentAdminActionSerializer(many=True)
