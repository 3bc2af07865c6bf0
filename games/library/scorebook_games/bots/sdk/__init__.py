"""Files for authors of bots to copy: `scorebook_bot.py`, `remote.py` and examples."""
