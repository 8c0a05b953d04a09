from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.corpus.pairs import read_pairs
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.text.normalise import normalise

pieces = st.sampled_from(["\t", "\n", "\r\n", " ", "a", "ä", "\ufeff", "\N{LINE SEPARATOR}", "\x00", "\u0301"])
texts = st.lists(pieces | st.text(max_size=3), max_size=40).map("".join)
contents = st.binary(max_size=40) | texts.map(lambda text: text.encode("utf-8", "surrogatepass"))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pairs") / "deu.txt"


@given(content=contents, limit=st.none() | st.integers(1, 5))
def test_any_bytes_are_clean_pairs_or_one_line_that_names_the_file(
    path: Path, content: bytes, limit: int | None
) -> None:
    path.write_bytes(content)
    refusal = None
    try:
        pairs = read_pairs(path, limit)
    except PairFileError as error:
        refusal = str(error)
    if refusal is not None:
        assert refusal.startswith(f"{path}:")
        assert len(refusal.splitlines()) == 1
        return
    found = list(zip(pairs.src, pairs.tgt, pairs.lines, strict=True))
    assert found
    assert all(text and normalise(text) == text for source, target, _ in found for text in (source, target))
    assert len(found) + sum(dropped.count for dropped in pairs.dropped.values()) == pairs.lines_read
