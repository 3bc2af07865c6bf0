"""What people say to one another: messages of a game's players, of its spectators and of a season; private notes; and
whose messages somebody does not want to read.

A room is where messages are read and written. `rooms` finds it and decides who may do so, `services` writes,
`selectors` reads ([ADR 37](../../docs/adr/0037-talk.md)).
"""
