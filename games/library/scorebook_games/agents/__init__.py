"""A language model at the table: tools for its host, over the account of a remote bot."""
