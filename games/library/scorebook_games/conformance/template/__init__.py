"""A small and complete kind of game. `scorebook-kind new` writes it under another name."""
