"""Plays random legal moves. This is the simplest bot; it plays every kind of game."""


class Bot:
    want = ()  # it uses nothing, so it asks for nothing

    def move(self, view, legal):
        return view.random.choice(legal)
