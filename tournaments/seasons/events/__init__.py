"""The events of a season's stream: a class for each type. `registry` reads them from the log."""
