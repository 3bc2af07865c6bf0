"""The organiser's inbox, with the actions for each item; the audit log, upcoming events, and a person's own seasons."""
