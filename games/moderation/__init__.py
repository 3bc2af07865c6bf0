"""Moderation: reports, warnings, mutes, bans, reserved names, and impersonation in support."""
