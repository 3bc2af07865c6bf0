"""The keys of moves are in the table of all idempotency keys. Old ones answered repeated requests; none comes later."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("play", "0002_fault_sentences"),
    ]

    operations = [
        migrations.DeleteModel(name="SentMove"),
    ]
