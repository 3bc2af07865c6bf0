"""The organiser's inbox: what needs somebody now, each with what can be done about it, and who did what."""
