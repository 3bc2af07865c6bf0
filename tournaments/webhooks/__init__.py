"""Webhooks: messages to other programs about a club, a season or a person's games (docs/how-to/receive-webhooks.md).

`services` creates and changes webhooks, `discovery` finds what to send, `delivery` sends it, and `outgoing_http` is the
only way out.
"""
