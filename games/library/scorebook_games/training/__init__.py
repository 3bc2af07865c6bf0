"""Games for machine learning: play-outs, features, and environments of PettingZoo and OpenSpiel for every kind.

`playouts` and `features` need only the standard library. `vector` needs NumPy, `aec` needs PettingZoo (install
``scorebook-games[pettingzoo]``) and `openspiel` needs OpenSpiel (``scorebook-games[openspiel]``). No other package
imports this one.
"""
