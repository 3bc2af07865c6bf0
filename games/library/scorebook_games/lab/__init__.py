"""The lab: a bot's file plays in this interpreter, which may be one in a browser. Nothing here isolates the bot."""
