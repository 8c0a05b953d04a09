import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from seq2seq_cli.config.schema.text import SourceConfig, TargetConfig, TextConfig
from seq2seq_cli.pairs.archives import LocalFile
from seq2seq_cli.pairs.pair_files import Block, PairFile
from seq2seq_cli.preparation.analysis import Analysed, Side, analyse
from seq2seq_cli.preparation.dropped import LONGEST_EXAMPLE
from seq2seq_cli.text.sides import read_rules

EN_DE = TextConfig(
    unit="word", src=SourceConfig(lowercase=True, spacing=False, language="en"), tgt=TargetConfig(language="de")
)


def analysed(
    src: Sequence[str], tgt: Sequence[str] | None = None, *, swap: bool = False, overlong: frozenset[int] = frozenset()
) -> Analysed:
    file = LocalFile(path=Path("pairs/deu.txt"), name="pairs/deu.txt", size=0, sha256="")
    block = Block(
        pair_file=PairFile(files=(file,)),
        lines=range(11, 11 + len(src)),
        src="\n".join(src),
        tgt=None if tgt is None else "\n".join(tgt),
        overlong=overlong,
        bytes_read=0,
    )
    return analyse(block, EN_DE, read_rules(EN_DE), swap)


def sentences(side: Side) -> list[list[str]]:
    rows = np.split(side.numbers, np.cumsum(side.lengths)[:-1])
    return [[side.tokens[number] for number in row] for row in rows]


def dropped(result: Analysed) -> dict[str, list[tuple[int, str, str]]]:
    return {
        reason: [(example.line, example.src, example.tgt) for example in lines.examples]
        for reason, lines in result.counts.dropped.items()
    }


def test_sentences_become_tokens_of_their_side() -> None:
    result = analysed(["She kissed him.\tSie  küsste ihn.\tby CK", "Don't!\tNicht!"])
    assert sentences(result.src) == [["she", "kissed", "him", "."], ["do", "n't", "!"]]
    assert sentences(result.tgt) == [["▁Sie", "▁küsste", "▁ihn", "."], ["▁Nicht", "!"]]
    assert result.tgt.text.decode("utf-8") == "Sie küsste ihn.\nNicht!\n"
    assert result.tgt.sizes.tolist() == [len("Sie küsste ihn.\n".encode()), len("Nicht!\n")]
    assert result.lines.tolist() == [11, 12]
    assert result.counts.extra_columns == 1


def test_tokens_are_numbered_as_they_come() -> None:
    side = analysed(["b a b\tx", "a c\ty"]).src
    assert side.tokens == ["b", "a", "c"]
    assert side.numbers.tolist() == [0, 1, 0, 1, 2]


def test_swap_exchanges_source_and_target() -> None:
    straight, swapped = analysed(["No\tNein", "a\t"]), analysed(["Nein\tNo", "\ta"], swap=True)
    assert sentences(swapped.src) == [["no"]]
    assert dropped(swapped) == dropped(straight) == {"empty side": [(12, "a", "")]}
    assert swapped.pair_hashes.tolist() == straight.pair_hashes.tolist()


def test_lines_that_are_no_pairs_are_dropped_with_a_reason() -> None:
    result = analysed(
        ["", " \N{NO-BREAK SPACE}", "no tab", "a\t ", "\tb", "\t", "\t\t\t", "", "c\td"], overlong=frozenset([7])
    )
    assert dropped(result) == {
        "blank line": [(11, "", ""), (12, "", "")],
        "no tab": [(13, "no tab", "")],
        "empty side": [(14, "a", ""), (15, "", "b"), (16, "", ""), (17, "", "")],
        "too long": [(18, "", "")],
    }
    assert result.lines.tolist() == [19]
    assert result.counts.lines == 9


def test_aligned_lines_are_pairs_whatever_tabs_are_in_them() -> None:
    result = analysed(["a\tb", "", "c", ""], ["x", " ", "", "y"], overlong=frozenset([3]))
    assert sentences(result.src) == [["a", "b"]]
    assert dropped(result) == {"blank line": [(12, "", "")], "empty side": [(13, "c", "")], "too long": [(14, "", "y")]}
    assert result.counts.extra_columns == 0


def test_examples_are_cut_and_fit_on_a_line() -> None:
    [(_, text, _)] = dropped(analysed(["a\x0b\x07" + "b" * 1000]))["no tab"]
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
    first, second = analysed([one, other]).pair_hashes.tolist()
    assert (first == second) == equal


def test_an_analysed_block_survives_pickling() -> None:
    result = analysed(["She kissed him.\tSie küsste ihn."])
    back = pickle.loads(pickle.dumps(result))  # noqa: S301  # our own
    assert sentences(back.src) == sentences(result.src)
    assert back.src.keys.tolist() == result.src.keys.tolist()
