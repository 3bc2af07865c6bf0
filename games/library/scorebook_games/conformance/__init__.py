"""The promises of a kind of game, and `scorebook-kind`, which tests them (docs/reference/check-a-kind.md)."""
