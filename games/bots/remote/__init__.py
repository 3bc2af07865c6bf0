"""Remote bots: programs on their authors' machines, which play over the API with a token.

See docs/how-to/run-a-remote-bot.md.
"""
