"""The figures of systems, counted by hand."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.errors import InputError, PairFileError
from seq2seq_cli.evaluation.figures import figures_of, largest_contrasts
from seq2seq_cli.evaluation.system import SystemOutput, read_hypotheses
from seq2seq_cli.evaluation.test_set import TestSet
from seq2seq_cli.evaluation.training_sources import TrainingSources

TESTS = TestSet(
    name="four pairs",
    pairs=(
        ("She kissed him.", "Sie hat ihn geküsst."),
        ("She kissed him.", "Sie küsste ihn."),
        ("The dog sleeps in the garden today.", "Der Hund schläft heute im Garten."),
        ("Go.", "Geh."),
    ),
    languages=("en", "de"),
)
PERFECT = {
    "She kissed him.": "Sie küsste ihn.",
    "The dog sleeps in the garden today.": "Der Hund schläft heute im Garten.",
    "Go.": "Geh.",
}


def output(**texts: str) -> SystemOutput:
    return SystemOutput(name="system", texts={**PERFECT, **texts})


def test_a_source_with_several_references_counts_once_with_all_of_them() -> None:
    found = figures_of(output(), TESTS)
    assert found.of_sources[0].value == pytest.approx(100)
    assert found.scores[0].value < 100
    assert found.scores[0].range.low <= found.scores[0].value <= found.scores[0].range.high


def test_parts_are_the_pairs_with_so_many_words() -> None:
    found = figures_of(output(), TESTS)
    assert [(part.name, part.pairs) for part in found.by_length] == [("1 to 4", 3), ("5 to 8", 1)]
    assert found.by_length[1].bleu == pytest.approx(100)
    assert found.by_frequency == ()


def test_a_part_whose_references_are_too_short_for_bleu_has_none() -> None:
    short = TestSet(name="short", pairs=(("Go.", "Geh."), ("Go there now!", "Geh hin!")), languages=("en", "de"))
    [part] = figures_of(SystemOutput(name="system", texts=dict(short.pairs)), short).by_length
    assert (part.pairs, part.bleu) == (2, None)


def test_the_rarest_word_decides_about_the_frequency() -> None:
    training = TrainingSources(["She kissed the dog.", "The dog, the cat!"], "en")
    assert training.known("The dog and the cat!").rarest_frequency == 0
    assert training.known("the KISSED").rarest_frequency == 1
    assert training.known("...").rarest_frequency == 0
    sources = TrainingSources([*["Go."] * 12, *["she kissed him"] * 9, "x"], "en")
    parts = figures_of(output(), TESTS, sources).by_frequency
    assert [(part.name, part.pairs) for part in parts] == [("0", 1), ("1 to 9", 2), ("10 to 99", 1)]


@given(st.lists(st.text("abcde ", max_size=12), max_size=20), st.text("abcdef ", max_size=12))
def test_neighbours_share_at_least_half_of_the_words_of_both(sources: list[str], source: str) -> None:
    words = set(source.split())
    near = [other for other in sources if words and 2 * len(words & {*other.split()}) >= len(words | {*other.split()})]
    assert TrainingSources(sources, "en").known(source).neighbours == len(near)


def test_parts_are_the_pairs_with_so_many_neighbours() -> None:
    sources = TrainingSources([*["Go!"] * 12, "She kissed Tom.", "She kissed the dog that sleeps."], "en")
    parts = figures_of(output(), TESTS, sources).by_neighbours
    assert [(part.name, part.pairs) for part in parts] == [("0", 1), ("1 to 9", 2), ("10 and more", 1)]


def test_parts_by_score_are_quarters_of_the_pairs() -> None:
    scores = {"She kissed him.": -0.5, "The dog sleeps in the garden today.": -0.125, "Go.": -1.0}
    parts = figures_of(replace(output(), model_scores=scores), TESTS).by_score
    # The pairs have -1, -0.5, -0.5 and -0.125: quartiles of -0.625, -0.5 and -0.40625.
    assert [(part.name, part.pairs) for part in parts] == [
        ("-0.41 and more", 1),
        ("-0.50 to -0.41", 2),
        ("below -0.62", 1),
    ]
    assert parts[0].bleu == pytest.approx(100)
    assert figures_of(output(), TESTS).by_score == ()


@pytest.mark.parametrize(
    ("scores", "parts"),
    [
        # Quartiles of -0.0045, -0.003 and -0.0025, of which two are -0.003 when rounded once more.
        ((-0.003, -0.001, -0.009), [("-0.0025 and more", 1), ("-0.0030 to -0.0025", 2), ("below -0.0045", 1)]),
        ((-0.5, -0.5, -0.5), [("-0.50 and more", 4)]),
    ],
)
def test_parts_by_score_have_the_decimals_that_tell_them_apart(
    scores: tuple[float, ...], parts: list[tuple[str, int]]
) -> None:
    found = figures_of(replace(output(), model_scores=dict(zip(PERFECT, scores, strict=True))), TESTS).by_score
    assert [(part.name, part.pairs) for part in found] == parts


def test_the_rank_correlation_compares_the_orders_of_the_sources() -> None:
    """Spearman's, with the mean rank for equal values."""
    # chrF2++ is 100 for two of the three sources, whose ranks are 1.5 each, and less for "Go.", of rank 0.
    worse = output(**{"Go.": "Los!"})

    def correlation(*scores: float) -> float | None:
        return figures_of(replace(worse, model_scores=dict(zip(PERFECT, scores, strict=True))), TESTS).score_correlation

    # Ranks less their mean: (1, 0, -1).(0.5, 0.5, -1) / sqrt(2 * 1.5); then the opposite, and (0, 1, -1) alike.
    assert correlation(-0.1, -0.2, -0.3) == pytest.approx(math.sqrt(3) / 2)
    assert correlation(-0.2, -0.1, -0.3) == pytest.approx(math.sqrt(3) / 2)
    assert correlation(-0.3, -0.2, -0.1) == pytest.approx(-math.sqrt(3) / 2)
    assert correlation(-0.2, -0.2, -0.2) is None
    assert figures_of(worse, TESTS).score_correlation is None


def test_an_output_that_repeats_three_words_three_times_is_a_loop() -> None:
    looping = output(**{"Go.": "a b c a b c a b c"})
    assert figures_of(looping, TESTS).loop_rate == pytest.approx(1 / 3)
    assert figures_of(output(**{"Go.": "a b c a b c"}), TESTS).loop_rate == 0


def test_the_length_ratio_is_of_words() -> None:
    # 3 + 3 + 6 + 2 words for 4 + 3 + 6 + 1.
    assert figures_of(output(**{"Go.": "Geh weg."}), TESTS).length_ratio == pytest.approx(14 / 14)


def test_contrasts_are_where_one_system_is_better_than_the_other() -> None:
    system, other = (figures_of(each, TESTS) for each in (output(), output(**{"Go.": "Los!"})))
    better, worse = largest_contrasts(system, other, TESTS, 5)
    assert [(contrast.source, contrast.system, contrast.baseline) for contrast in better] == [("Go.", "Geh.", "Los!")]
    assert worse == []
    assert largest_contrasts(other, system, TESTS, 5)[1][0].source == "Go."


def test_pairs_of_a_file_are_taken_as_prepare_takes_them(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("She  left.\tSie ging.\tnote\nnothing\n\t\nGo.\tGeh.\n", encoding="utf-8")
    tests = TestSet.of_files([path], ("en", "de"))
    assert tests.pairs == (("She left.", "Sie ging."), ("Go.", "Geh."))
    assert TestSet.of_files([path], ("de", "en"), swap=True).pairs[0] == ("Sie ging.", "She left.")
    path.write_text("He is big.\tEr ist groß.\n", encoding="cp1252")
    assert TestSet.of_files([path], ("en", "de"), encoding="cp1252").pairs == (("He is big.", "Er ist groß."),)
    with pytest.raises(PairFileError, match="name the file's encoding, such as --encoding"):
        TestSet.of_files([path], ("en", "de"))


def test_pairs_have_any_format_and_the_columns_of_the_run(tmp_path: Path) -> None:
    contents = {
        "a.en": "She left.\nGo.\n",
        "a.de": "Sie ging.\nGeh.\n",
        "csv": "de,fr,en\nSie ging.,Elle partit.,She left.\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    tests = TestSet.of_files([tmp_path / "a.en", tmp_path / "a.de", tmp_path / "csv"], ("en", "de"))
    assert tests.pairs == (("She left.", "Sie ging."), ("Go.", "Geh."), ("She left.", "Sie ging."))
    assert TestSet.of_files([tmp_path / "csv"], ("de", "fr"), columns="2,3", swap=True).pairs == (
        ("She left.", "Elle partit."),
    )


def test_a_file_without_pairs_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("a\t\n", encoding="utf-8")
    with pytest.raises(PairFileError, match="no sentence pair in it"):
        TestSet.of_files([path], ("en", "de"))


@pytest.mark.parametrize("lines", [["A.", "A.", "B.", "C."], ["A.", "B.", "C."]])
def test_hypotheses_are_of_the_pairs_or_of_the_sources(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "out.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert list(read_hypotheses(path, TESTS).texts.values()) == ["A.", "B.", "C."]


@pytest.mark.parametrize("content", [b"\xef\xbb\xbfA.\r\nB.\r\nC.\r\n", b"A.\nB.\nC."])
def test_the_hypotheses_are_the_lines_of_any_editor(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "out.txt").write_bytes(content)
    assert list(read_hypotheses(tmp_path / "out.txt", TESTS).texts.values()) == ["A.", "B.", "C."]


def test_only_a_line_feed_ends_a_hypothesis(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("A\u2028a.\nB\x85\x0bb.\n\n", encoding="utf-8")
    assert list(read_hypotheses(tmp_path / "out.txt", TESTS).texts.values()) == ["A a.", "B b.", ""]


def test_hypotheses_are_normalised_as_the_references_are(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("Cafe\u0301.\nB  b.\nC.\n", encoding="utf-8")
    assert list(read_hypotheses(tmp_path / "out.txt", TESTS).texts.values()) == ["Café.", "B b.", "C."]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("A.\nB.\n", r"out.txt: has 2 lines, but four pairs has 4 pairs with 3 different sources"),
        ("A.\nX.\nB.\nC.\n", r"out.txt:2: another translation of a sentence"),
    ],
)
def test_hypotheses_that_do_not_fit_are_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "out.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_hypotheses(path, TESTS)
