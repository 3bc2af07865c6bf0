"""The text of a notice as sentences: codes and parameters. An old text becomes the sentence `written`."""

from django.db import migrations, models

FORWARDS = """
UPDATE accounts_notice SET sentences = CASE
  WHEN subject IN ('appointed', 'time_proposed', 'time_agreed', 'time_declined', 'time_lapsed') THEN
    jsonb_build_array(jsonb_build_array(
      'moments', jsonb_build_object('times', to_jsonb(string_to_array(note, ' ')))))
  WHEN subject = 'bot_fault' THEN
    jsonb_build_array(jsonb_build_array(
      CASE split_part(note, ' ', 1) WHEN 'forfeit' THEN 'bot_forfeited' ELSE 'bot_failed' END,
      jsonb_build_object('fault', nullif(split_part(note, ' ', 2), '')::bigint)))
  WHEN subject = 'bot_compared' AND note LIKE 'given_up %' THEN
    jsonb_build_array(jsonb_build_array(
      'comparison_given_up', jsonb_build_object('other', split_part(note, ' ', 2)::int)))
  WHEN subject = 'bot_compared' THEN
    jsonb_build_array(jsonb_build_array(
      'bot_' || split_part(note, ' ', 1),
      jsonb_build_object('other', split_part(note, ' ', 2)::int, 'kind', split_part(note, ' ', 3))))
  WHEN subject = 'bot_taken_down' THEN
    jsonb_build_array(jsonb_build_array(
      CASE WHEN note LIKE '%restored' THEN 'bot_restored' ELSE 'bot_taken_down' END,
      jsonb_build_object('whole', note LIKE 'bot%')))
  WHEN subject = 'bot_admission' THEN
    jsonb_build_array(jsonb_build_array(
      CASE note WHEN 'passed' THEN 'bot_admitted' WHEN 'refused' THEN 'bot_refused' ELSE 'admission_given_up' END,
      jsonb_build_object()))
  WHEN subject = 'bot_quarantine' THEN
    jsonb_build_array(jsonb_build_array(
      CASE note WHEN 'begun' THEN 'bot_quarantined' ELSE 'quarantine_ended' END, jsonb_build_object()))
  WHEN subject = 'bot_plays' THEN jsonb_build_array(jsonb_build_array('bot_plays', jsonb_build_object()))
  ELSE jsonb_build_array(jsonb_build_array('written', jsonb_build_object('text', note)))
END
WHERE note <> '' OR subject = 'bot_plays';
"""


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="notice",
            name="sentences",
            field=models.JSONField(
                blank=True, default=list, help_text="What it says: codes and their parameters."
            ),
        ),
        migrations.RunSQL(FORWARDS, elidable=True),
        migrations.RemoveField(model_name="notice", name="note"),
    ]
