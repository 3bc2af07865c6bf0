"""Every legal move is equally likely. The least that a bot can be; it plays every kind of game."""


class Bot:
    want = ()  # it looks at nothing, so it is told nothing

    def move(self, view, legal):
        return view.random.choice(legal)
