"""Hashes passwords in tests: the usual algorithm in one round, so that separate web processes can check them."""

from __future__ import annotations

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class Quick(PBKDF2PasswordHasher):
    iterations = 1
