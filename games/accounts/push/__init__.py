"""Notices on a person's devices, by Web Push (RFC 8030, 8291, 8292; docs/adr/0035-notices-on-devices.md).

`keys` has the platform's key, `services` adds and removes devices, `delivery` encrypts and sends.
"""
