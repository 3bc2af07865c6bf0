"""Remote bots: programs on their authors' own machines, which play over the API by token
(docs/how-to/run-a-remote-bot.md)."""
