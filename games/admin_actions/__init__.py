"""Actions of admins: the registry, its audit log, and what the admin's pages share."""
