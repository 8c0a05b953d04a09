"""The pairs of a block, and the order, the limit and the progress of reading several pair files."""

from pathlib import Path

import numpy as np
import pytest

from seq2seq_cli.config.schema.text import DataConfig, SideConfig, TextConfig
from seq2seq_cli.corpus.splits import TEST, TRAIN
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.archives import LocalFile
from seq2seq_cli.pairs.pair_files import Block, Pair, PairFile, local_pair_files
from seq2seq_cli.preparation.analysis import PairSettings, analyse, input_blocks
from seq2seq_cli.preparation.dropped import LONGEST_EXAMPLE, LineCounts
from seq2seq_cli.preparation.pair_store import NewPairs
from seq2seq_cli.text.sides import SideName, rules_of_sides
from tests.corpora import write_lines

EN_DE = TextConfig(
    unit="word", src=SideConfig(lowercase=True, spacing=False, language="en"), tgt=SideConfig(language="de")
)


def analysed(*rows: Pair | str | None, swap: bool = False, text: TextConfig = EN_DE) -> tuple[LineCounts, NewPairs]:
    file = LocalFile(path=Path("pairs/deu.txt"), name="pairs/deu.txt", size=0, sha256="")
    block = Block(pair_file=PairFile(files=(file,)), first=11, rows=rows, bytes_read=0)
    return analyse((block, PairSettings(text=text, letters=("", ""), swap=swap, rules=rules_of_sides(text))))


def sentences(pairs: NewPairs, side: SideName) -> list[list[str]]:
    rows = np.split(pairs.columns[f"{side}.numbers"], np.cumsum(pairs.columns[f"{side}.lengths"])[:-1])
    return [[pairs.tokens[side][number] for number in row] for row in rows]


def test_sentences_become_tokens_of_their_side() -> None:
    counts, pairs = analysed("She kissed him.\tSie  küsste ihn.\tby CK", "Don't!\tNicht!")
    assert sentences(pairs, "src") == [["she", "kissed", "him", "."], ["do", "n't", "!"]]
    assert sentences(pairs, "tgt") == [["▁Sie", "▁küsste", "▁ihn", "."], ["▁Nicht", "!"]]
    assert pairs.columns["tgt.text"].tobytes().decode("utf-8") == "Sie küsste ihn.\nNicht!\n"
    assert pairs.columns["tgt.sizes"].tolist() == [len("Sie küsste ihn.\n".encode()), len("Nicht!\n")]
    assert pairs.columns["lines"].tolist() == [11, 12]
    assert counts.extra_columns == 1


def test_the_sides_of_a_pair_are_compared_by_words_where_tokens_are_characters() -> None:
    _, pairs = analysed(
        "That is not possible at all.\tNein, gar nicht.", text=EN_DE.model_copy(update={"unit": "character"})
    )
    assert [pairs.columns[f"{side}.words"].tolist() for side in ("src", "tgt")] == [[6], [3]]


def test_swap_exchanges_source_and_target() -> None:
    (of_straight, straight), (of_swapped, swapped) = analysed("No\tNein", "a\t"), analysed("Nein\tNo", "\ta", swap=True)
    assert sentences(swapped, "src") == [["no"]]
    assert of_swapped.examples == of_straight.examples == {"empty side": [("deu.txt:12", "a", "")]}
    assert swapped.columns["pair_hashes"].tolist() == straight.columns["pair_hashes"].tolist()


def test_lines_that_are_no_pairs_are_dropped_with_a_reason() -> None:
    record: Pair = (19, "e", "", "missing column", False)
    counts, pairs = analysed("", " \N{NO-BREAK SPACE}", "no tab", "a\t ", "\tb", "\t", None, "c\td", record)
    assert counts.examples == {
        "blank line": [("deu.txt:11", "", ""), ("deu.txt:12", "", ""), ("deu.txt:16", "", "")],
        "no tab": [("deu.txt:13", "no tab", "")],
        "empty side": [("deu.txt:14", "a", ""), ("deu.txt:15", "", "b")],
        "too long": [("deu.txt:17", "", "")],
        "missing column": [("deu.txt:19", "e", "")],
    }
    assert pairs.columns["lines"].tolist() == [18]
    assert counts.lines == 9


def test_examples_are_cut_and_fit_on_a_line() -> None:
    [(_, text, _)] = analysed("a\x0b\x07" + "b" * 1000)[0].examples["no tab"]
    assert text == "a " + "b" * (LONGEST_EXAMPLE - 3)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("Hi.\tHallo!", "Hi.\tHallo!", True),
        ("Hi.\tHallo!", "Hi. Hallo\t!", False),
        ("a\tb", "A\tb", False),
        ("Gru\u0308n\tb", "Grün \tb", True),
    ],
)
def test_pairs_of_the_same_text_have_the_same_hash(one: str, other: str, equal: bool) -> None:
    first, second = analysed(one, other)[1].columns["pair_hashes"].tolist()
    assert (first == second) == equal


def read(*train: Path, test: tuple[Path, ...] = (), limit: int | None = None) -> list[Block]:
    with local_pair_files({TRAIN: [(path,) for path in train], TEST: [(path,) for path in test]}) as inputs:
        return list(input_blocks(inputs, DataConfig(limit=limit)))


def test_a_limit_counts_the_lines_of_all_files_but_not_those_of_given_splits(tmp_path: Path) -> None:
    lines = ["a\tb", "", "c\td"]
    first, empty = write_lines(tmp_path / "first.txt", lines), write_lines(tmp_path / "empty.txt", [])
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"e\tf\ng\xff\n")
    found = read(first, empty, test=(first,), limit=3)
    assert [(block.pair_file.split, block.rows) for block in found] == [(TRAIN, lines), (TEST, lines)]
    assert [block.rows for block in read(first, broken, limit=4)] == [lines, ["e\tf"]]
    with pytest.raises(PairFileError, match=r"broken\.txt:2: byte 0xff"):
        read(first, broken, limit=5)
