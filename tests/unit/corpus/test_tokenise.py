from seq2seq_cli.config.schema import TextConfig
from seq2seq_cli.corpus.tokenise import CHUNK, Tokenised, tokenise
from seq2seq_cli.corpus.workers import InProcessExecutor

from .conftest import pair_lines


def rows(side: Tokenised) -> list[list[str]]:
    return [[side.units[unit] for unit in side.sentences.row(row)] for row in range(len(side.sentences))]


def test_sentences_become_units_of_their_side() -> None:
    src, tgt = tokenise(
        ["She kissed him.", "Don't!"], ["Sie küsste ihn.", "Nicht!"], TextConfig(), InProcessExecutor(), lambda *_: None
    )
    assert rows(src) == [["she", "kissed", "him", "."], ["do", "n't", "!"]]
    assert rows(tgt) == [["▁Sie", "▁küsste", "▁ihn", "."], ["▁Nicht", "!"]]


def test_chunks_are_joined_in_order_and_progress_is_told() -> None:
    pairs = [line.split("\t") for line in pair_lines(2 * CHUNK + 5)]
    told: list[tuple[int, int]] = []
    src, tgt = tokenise(
        [pair[0] for pair in pairs],
        [pair[1] for pair in pairs],
        TextConfig(),
        InProcessExecutor(),
        lambda done, total: told.append((done, total)),
    )
    assert rows(src)[::1000] == [[*source[:-1].lower().split(), "."] for source, _ in pairs[::1000]]
    assert ["".join(row).replace("▁", " ").strip() for row in rows(tgt)] == [target for _, target in pairs]
    assert told == [(CHUNK, len(pairs)), (2 * CHUNK, len(pairs)), (len(pairs), len(pairs))]
