"""Tables as spreadsheets and other programs write them. No database."""

from __future__ import annotations

import pytest

from games.common.errors import DomainError
from tournaments.importexport import entrants
from tournaments.importexport.file_text import decode_file
from tournaments.importexport.parse import parse_season
from tournaments.importexport.season_file import FileMatch

ROWS = "round;table;seat;name;placing\n1;1;0;Jürgen Adler;1\n1;1;1;Zoë Birke;2\n"
PAIR = ["Jürgen Adler", "Zoë Birke"]


def names(text: str) -> list[str]:
    found = entrants.read_entrants(text)
    assert not found.problems
    return [row.name for row in found.rows]


def problems(text: str) -> list[tuple[int, str, str]]:
    return [(each.line, each.column, each.sentence) for each in entrants.read_entrants(text).problems]


def refusal(text: str) -> str:
    with pytest.raises(DomainError) as refused:
        entrants.read_entrants(text)
    assert (refused.value.status, refused.value.code) == (400, "bad_file")
    return refused.value.sentence


def matches(text: str, *, table_size: int = 2, games_a_match: int = 1) -> list[FileMatch]:
    data = entrants.read_entrants(text).data
    assert data
    past = parse_season(data, table_size=table_size, games_a_match=games_a_match, continuous=False)
    return [match for played in past.rounds for match in played.matches]


# encodings


@pytest.mark.parametrize(
    ("encoding", "guessed"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),  # Excel's "CSV UTF-8"
        ("windows-1252", "Windows-1252"),  # Excel's "CSV"
        ("utf-16", ""),  # Excel's "Unicode Text"
    ],
)
def test_a_file_is_read_in_the_encodings_of_spreadsheets(encoding: str, guessed: str) -> None:
    text, found = decode_file(ROWS.encode(encoding))
    assert (text, found) == (ROWS, guessed)


@pytest.mark.parametrize("body", [b"\x89PNG\r\n\x1a\n\x00\x00", b"Martha\x00", b"\xff\xfeM", b"a\x81b\xe4"])
def test_what_is_no_text_is_refused(body: bytes) -> None:
    with pytest.raises(DomainError, match="not a text file"):
        decode_file(body)


@pytest.mark.parametrize("body", [b"PK\x03\x04...", b"\xd0\xcf\x11\xe0\xa1\xb1"])
def test_a_spreadsheets_own_file_is_refused_with_the_menu_to_use(body: bytes) -> None:
    with pytest.raises(DomainError, match="Save As, CSV UTF-8"):
        decode_file(body)


# what stands around a table


@pytest.mark.parametrize(
    "text",
    [
        ROWS,
        "\n" + ROWS,
        ";;;;\n\n" + ROWS,
        "sep=;\n" + ROWS,
        "SEP=;\r\n" + ROWS.replace("\n", "\r\n"),
        ROWS.replace("1\n", "1;;\n").replace("2\n", "2;;\n").replace("placing\n", "placing;;\n"),
        ROWS.replace("placing\n", "placing;\n").replace("2\n", "2;;;\n"),
        ROWS.replace(";", "\t"),
        ROWS.replace("round;table;seat;name;placing", "Runde;Tisch;Platz;Name;Rang"),
        ROWS.replace("round;table;seat;name;placing", "Rd.;Brett;Sitz;Spieler;Platz"),
        ROWS.replace("round;table;seat;name;placing", "Round;Board;Seat;Name;Place"),
    ],
)
def test_a_table_is_read_as_it_is_written(text: str) -> None:
    assert names(text) == PAIR
    (match,) = matches(text)
    assert match.games[0].placings == [1, 2]


def test_lines_are_counted_as_the_spreadsheet_counts_them() -> None:
    text = "sep=;\n\n" + ROWS.replace("Birke;2", "Birke;x")
    assert problems(text)[0][:2] == (5, "placing")


def test_all_wrong_cells_of_a_row_are_said_at_once() -> None:
    text = "round,table,seat,name,placing,status,gone\nx,y,z,Martha,9999,over,away\n1,,,,,free,\n"
    assert [(line, column) for line, column, _sentence in problems(text)] == [
        (2, "round"),
        (2, "table"),
        (2, "seat"),
        (2, "status"),
        (2, "gone"),
        (2, "placing"),
        (3, "name"),
        (3, "status"),
    ]


def test_an_error_names_the_column_as_the_file_does() -> None:
    text = "Runde;Tisch;Platz;Name;Rang\n1;1;0;Adler;eins\n1;1;1;Birke;2\n"
    assert problems(text)[0][:2] == (2, "Rang")


# names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Sensible\nRandom, Anna\n", ["Sensible", "Anna Random"]),
        ("Bergmann, Anna\nDistel, Dora\n", ["Anna Bergmann", "Dora Distel"]),
        ("name\nBergmann, Anna\n", ["Anna Bergmann"]),
        ('name,version\n"Bergmann, Anna",\n', ["Anna Bergmann"]),
        ("name;version\nBergmann, Anna;\n", ["Anna Bergmann"]),
        ('["Bergmann, Anna"]', ["Anna Bergmann"]),
        ('round,table,seat,name,placing\n1,1,0,"Bergmann, Anna",1\n1,1,1,"Distel, Dora",2\n',
         ["Anna Bergmann", "Dora Distel"]),
    ],
)  # fmt: skip
def test_surname_first_is_recognised_and_no_rest_of_a_line_is_dropped(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize("text", ["name,version\nMartha,1,2\n", "name;version\nMartha;1;2\n"])
def test_more_cells_than_columns_are_an_error_of_their_line(text: str) -> None:
    assert problems(text) == [(2, "", "This line has more cells than columns.")]


# results that cannot be


@pytest.mark.parametrize(
    ("given", "right"),
    [("1,1,2", "1, 1, 3"), ("3,3,3", "1, 1, 1"), ("1,3,3", "1, 2, 2"), ("2,3,4", "1, 2, 3"), ("1,4,4", "1, 2, 2")],
)
def test_impossible_places_are_refused_with_the_right_ones(given: str, right: str) -> None:
    """A shared place takes up the next ones: the points of its places are shared."""
    seats = [f"1,1,{seat},{'ABC'[seat]}x,{place}" for seat, place in enumerate(given.split(","))]
    text = "\n".join(["round,table,seat,name,placing", *seats])
    ((line, column, sentence),) = problems(text)
    assert (line, column) == (2, "placing")
    assert sentence.endswith(f"write {right}.")


@pytest.mark.parametrize("given", ["1,2,3", "1,1,3", "1,2,2", "1,1,1", "3,1,1"])
def test_shared_places_that_can_be_are_read(given: str) -> None:
    seats = [f"1,1,{seat},{'ABC'[seat]}x,{place}" for seat, place in enumerate(given.split(","))]
    (match,) = matches("\n".join(["round,table,seat,name,placing", *seats]), table_size=3)
    assert match.games[0].placings == [int(each) for each in given.split(",")]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            ["1,1,0,Anna,1", "1,1,1,Bert,2", "1,1,2,Cora,3"],
            r"Line 2, Round 1, table 1: 3 players sit here \(Anna, Bert, Cora\), but by the settings a table has 2\.",
        ),
        (
            ["1,1,0,Anna,1", "1,1,1,Bert,2", "1,2,0,Anna,1", "1,2,1,Cora,2"],
            r"Round 1: Anna occurs twice\.",
        ),
    ],
)
def test_errors_name_the_line_and_the_player(rows: list[str], sentence: str) -> None:
    with pytest.raises(DomainError, match=sentence):
        matches("\n".join(["round,table,seat,name,placing", *rows]))


# tournament reports of chess


def line_of(rank: int, name: str, *rounds: str) -> str:
    """Return the line of a player of a report."""
    head = f"001 {rank:4} m    {name:33} 2040 GER                         1.0 {rank:4}"
    return f"{head:91}" + "  ".join(f"{each:8}" for each in rounds)


REPORT = "\n".join(
    [
        "012 Probepokal",
        "062 5",
        "XXR 3",
        line_of(1, "Bergmann, Anna", "   2 w 1", "   3 b =", "0000 - U"),
        line_of(2, "Distel, Dora", "   1 b 0", "0000 - H", "   3 w +"),
        line_of(3, "Eibe, Emil", "0000 - Z", "   1 w =", "   2 b -"),
    ]
)


def test_a_report_is_players_results_and_byes() -> None:
    found = entrants.read_entrants(REPORT)
    assert [(row.line, row.name) for row in found.rows] == [(4, "Anna Bergmann"), (5, "Dora Distel"), (6, "Emil Eibe")]
    assert found.notes == ("1 half-point bye was read as an absence; the settings say what that is worth.",)
    games = [(match.entrants, match.games[0]) for match in matches(REPORT)]
    assert [(pair, game.placings, game.absent) for pair, game in games] == [
        ([1, 2], [1, 2], []),
        ([3, 1], [1, 1], []),
        ([2, 3], [1, 2], [1]),
    ]
    assert found.data
    byes = [[(bye["entrant"], bye["kind"]) for bye in past["byes"]] for past in found.data["rounds"]]
    assert byes == [[(3, "away")], [(2, "away")], [(1, "bye")]]


def test_a_report_before_the_first_round_is_a_list_of_names() -> None:
    text = "\n".join(["012 Probepokal", line_of(1, "Bergmann, Anna"), line_of(2, "Distel, Dora")])
    assert names(text) == ["Anna Bergmann", "Dora Distel"]


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([line_of(1, "Adler", "   2 w 1"), line_of(2, "Birke", "   1 b 1")], "Line 1: in round 1, the results “1” of"),
        ([line_of(1, "Adler", "   2 w 1"), line_of(2, "Birke", "   3 b 0")], "Line 1: in round 1, Adler has opponent"),
        ([line_of(1, "Adler", "   7 w 1")], "Line 1: in round 1, Adler has opponent number 7"),
        ([line_of(1, "Adler"), line_of(1, "Birke")], "Line 2: the number or the name of Birke is also in line 1"),
        ([line_of(1, "Adler", *["0000 - Z"] * 101, "   2 w 1")], "at most 100 rounds"),
        (["001    1"], "Line 1: a player’s line needs"),
    ],
)
def test_a_report_that_contradicts_itself_is_refused_with_line_and_name(lines: list[str], sentence: str) -> None:
    assert refusal("\n".join(lines)).startswith(sentence) or sentence in refusal("\n".join(lines))
