"""The strong built-in bot: it searches (`ismcts`) in worlds that it may be in (`worlds`), led by a guide to each
kind."""
