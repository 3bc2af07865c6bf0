"""Shared by all requests and responses: middleware, errors, limits, parsers, health."""
