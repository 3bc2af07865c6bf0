"""Passwords in tests: the usual hash, in one round, so that a web process of its own knows it too."""

from __future__ import annotations

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class Quick(PBKDF2PasswordHasher):
    iterations = 1
