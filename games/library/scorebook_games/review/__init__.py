"""Reviews of finished games: what a seat's chances were, and which of its decisions were mistakes.

    from scorebook_games.review import NoReview, Reviewer, review_of, summary_text

    review = review_of(events, seat)  # `events` are all events of the log, the opening first
    review.plain()  # JSON data, see below
    summary_text(review.plain())  # sentences in the reader's language, to the seat's player or about one with a name

    reviewer = Reviewer(events, seat, state=kept)  # `kept` is None, or the `state()` of an earlier reviewer
    for progress in reviewer.steps():
        keep(reviewer.state())  # JSON data; the work may stop here, and another reviewer goes on
    reviewer.review()

A review is made from the seat's own eyes: `sight` reads the log and keeps what the seat was shown, and all else is made
from that. All random numbers come from a hash of what the seat was shown, and the budget is a number of positions. So
the same game gets the same bytes, and hidden cards have no part in them. A game that is not over is reviewed up to its
last event; if a player left, up to there. docs/explanation/reviews.md has the method and how good it is.

The JSON data, schema 2. Chances and costs are shares of the result from 0 to 1 (`points_share`), with four digits.
`error` is one standard error. `version` is the number of events that had happened at a position, and `event` the
version of a move's event.

    schema, kind, rules_version, seats, seat, finished
    method         version of the method, and a hash of its program: another one makes another review
    seen           SHA-256 of all that the seat was shown
    budget, spent  positions
    result         the seat's share of the result; null if the game is not over
    policy         how all seats play on in roll-outs: "sensible", or "random" for a kind that brings nothing. Chances
                   and costs are those against such players: against weaker ones, chances are too low
    curve          [{version, what, seat, chance, error}], by version
                   what: "deal" (before the first move), "decision" (the seat is about to choose), "turn" (`seat` has
                   ended its turn; null: in beats, all have) or "end" (the result)
                   chance and error: null where no world was found, so nothing was measured
    decisions      [{version, event, move, best, legal, cost, error, worlds, mark}], those with more than one legal move
                   best: the best move found; legal: how many moves are listed; cost: of `move` beside `best`, measured
                   in so many `worlds`
                   mark: "best" (nothing better was found: cost and error are 0), "fine" (nothing is certainly better),
                   "mistake", "skipped" (not looked at, in a very long game) or "unmeasured" (no world was found: what
                   the seat had seen is too hard to imagine). Cost and error of the last two are null
    mistakes       [{version, event, move, best, cost, error, strong, line}], by version
                   strong: what the strong built-in bot plays there; line: {version, world, best, made}, each of the
                   last two {moves: [[seat, move]], scores, share}: both moves played on in one world that the seat
                   could not exclude, with the same luck; scores after these moves, and the seat's share at the end of
                   that game. Both are null for all but the costliest, and `strong` where it had to play without a
                   search. `example_moves` finds what each mover saw.
    swings         [{version, to, event, seat, before, after, change, error, decision}], the greatest first
                   between `version` and `to` the chance changed; seat: who moved then; event: the first event then;
                   decision: the version of a mistake in it that lowered the chance, or null
    skipped        {moments, decisions}: what was left out of the curve and the decisions, in long games
    unmeasured     {moments, decisions}: of how many nothing was measured, because no world was found
    summary        [[code, parameters]]: sentences
"""

from scorebook_games.review.examples import LineMove, example_moves
from scorebook_games.review.report import Review
from scorebook_games.review.reviewer import Progress, Reviewer, review_of
from scorebook_games.review.sight import NoReview
from scorebook_games.review.summary import summary_text

__all__ = ["LineMove", "NoReview", "Progress", "Review", "Reviewer", "example_moves", "review_of", "summary_text"]
