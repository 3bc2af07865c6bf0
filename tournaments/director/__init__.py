"""The director runs seasons automatically: it opens rounds, records results and closes rounds."""
