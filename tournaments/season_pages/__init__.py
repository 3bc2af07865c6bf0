"""The pages of a season: its overview, the form that sets it up, the buttons of its steps."""
