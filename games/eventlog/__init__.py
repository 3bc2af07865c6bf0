"""The only writer and reader of event streams."""
