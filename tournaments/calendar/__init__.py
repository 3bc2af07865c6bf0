"""When matches are played: the times that entrants agree on, reminders, and calendar feeds."""
