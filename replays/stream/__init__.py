"""Live streams of games for spectators, players and remote bots, as Server-Sent Events or NDJSON."""
