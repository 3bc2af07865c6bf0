"""The search of the strong built-in bot: `ismcts` searches in possible worlds (`worlds`), led by a kind's guide."""
