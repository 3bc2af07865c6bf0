"""Webhooks: what happens in a club, a season or a person's games, told to programs elsewhere
(docs/how-to/receive-webhooks.md).

`door` makes and changes them, `finding` finds what there is to tell, `sending` tells it, `reach` is the one way out.
"""
