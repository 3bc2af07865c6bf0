"""What happened in a season, in words, and who did it: timeline, audit log, notifications."""
