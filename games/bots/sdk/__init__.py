"""What an author of bots works with: `scorebook_bot.py` to copy, examples, and the command `scorebook-bot`."""
