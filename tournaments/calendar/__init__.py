"""When matches are played: times that their entrants agree on, reminders, and calendars to subscribe to."""
