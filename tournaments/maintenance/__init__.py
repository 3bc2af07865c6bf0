"""Rebuild, moderation, personal data, the platform's status and the demo, as far as they concern leagues."""
