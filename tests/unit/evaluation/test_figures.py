"""The figures of systems, counted by hand, and the files of sentences that they are computed of."""

from pathlib import Path

import pytest

from seq2seq_cli.errors import InputError, PairFileError
from seq2seq_cli.evaluation.evaluation_set import EvaluationSet, SystemOutput, read_hypotheses, read_pair_lines
from seq2seq_cli.evaluation.figures import Evaluation, figures_of

TESTS = EvaluationSet(
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


def figures(go: str = "Geh.") -> Evaluation:
    """The figures of the right translations, but for the one of "Go."."""
    return figures_of(SystemOutput(name="system", texts={**PERFECT, "Go.": go}), TESTS)


def test_a_source_with_several_references_counts_once_with_all_of_them() -> None:
    found = figures()
    assert found.of_sources[0].value == pytest.approx(100)
    assert found.scores[0].value < 100
    assert found.scores[0].range.low <= found.scores[0].value <= found.scores[0].range.high


def test_parts_are_the_pairs_with_so_many_words() -> None:
    found = figures()
    assert [(part.name, part.pairs) for part in found.by_length] == [("1 to 4", 3), ("5 to 8", 1)]
    assert found.by_length[1].bleu == pytest.approx(100)


def test_a_part_whose_references_are_too_short_for_bleu_has_none() -> None:
    short = EvaluationSet(name="short", pairs=(("Go.", "Geh."), ("Go there now!", "Geh hin!")), languages=("en", "de"))
    [part] = figures_of(SystemOutput(name="system", texts=dict(short.pairs)), short).by_length
    assert (part.pairs, part.bleu) == (2, None)


def test_an_output_that_repeats_three_words_three_times_is_a_loop() -> None:
    assert figures("a b c a b c a b c").loop_rate == pytest.approx(1 / 3)
    assert figures("a b c a b c").loop_rate == 0
    assert figures("Geh weg.").length_ratio == pytest.approx(14 / 14)  # 3 + 3 + 6 + 2 words for 4 + 3 + 6 + 1


@pytest.mark.parametrize(
    ("files", "options", "lines"),
    [
        (
            {"a.tsv": b"She  left.\tSie ging.\tnote\nnothing\n\t\nGo.\tGeh.\n"},
            {},
            [("She left.", "Sie ging."), ("nothing", ""), ("", ""), ("Go.", "Geh.")],
        ),
        ({"a.tsv": b"big\tgro\xdf\n"}, {"encoding": "cp1252"}, [("big", "groß")]),
        ({"a.en": b"Go.\n", "a.de": b"Geh.\n"}, {}, [("Go.", "Geh.")]),
        ({"csv": b"de,fr,en\nA.,B.,C.\n"}, {"columns": "2,3", "swap": True}, [("C.", "B.")]),
    ],
)
def test_lines_of_files_are_taken_as_prepare_takes_them(
    tmp_path: Path, files: dict[str, bytes], options: dict[str, object], lines: list[tuple[str, str]]
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    found = read_pair_lines([tmp_path / name for name in files], languages=("en", "de"), **options)  # type: ignore[arg-type]
    assert list(found) == lines


def test_lines_without_both_sides_are_no_pairs_and_a_file_without_pairs_is_refused() -> None:
    lines = [("a", "b"), ("nothing", ""), ("", "")]
    assert EvaluationSet.of_lines(lines, [Path("a")], ("en", "de")).pairs == (("a", "b"),)
    with pytest.raises(PairFileError, match="a: no sentence pair in it"):
        EvaluationSet.of_lines(lines[1:], [Path("a")], ("en", "de"))


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("A.\nA.\nB.\nC.\n", ["A.", "B.", "C."]),  # of the pairs
        ("A.\nB.\nC.", ["A.", "B.", "C."]),  # of the sources
        ("\ufeffA.\r\nB.\r\nC.\r\n", ["A.", "B.", "C."]),  # of another editor
        ("A\u2028a.\nB\x85\x0bb.\n\n", ["A a.", "B b.", ""]),  # only a line feed ends a line
        ("Cafe\u0301.\nB  b.\nC.\n", ["Café.", "B b.", "C."]),  # normalised as the references are
    ],
)
def test_hypotheses_are_lines_of_the_pairs_or_of_the_sources(tmp_path: Path, content: str, texts: list[str]) -> None:
    (tmp_path / "out.txt").write_bytes(content.encode())
    assert list(read_hypotheses(tmp_path / "out.txt", TESTS).texts.values()) == texts


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
