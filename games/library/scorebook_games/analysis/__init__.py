"""Statistics of results, in pure code, for the platform and for the command `scorebook-bot`."""
