"""Attention in files: pictures and JSON."""

import json
from pathlib import Path

import numpy as np
import pytest

from seq2seq_cli.errors import UsageError
from seq2seq_cli.plots.attention_files import save_attention
from tests.unit.plots.maps import KISS, make_map

BLANK = make_map([], [])


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a.PNG", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")]
)
def test_all_sentences_are_drawn_in_the_named_file(tmp_path: Path, name: str, start: bytes) -> None:
    assert save_attention([[KISS], [KISS]], tmp_path / name) == 2
    assert (tmp_path / name).read_bytes().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_sentence_without_words_is_not_drawn(tmp_path: Path) -> None:
    save_attention([[KISS], [BLANK], [KISS]], tmp_path / "three.svg")
    save_attention([[KISS], [KISS]], tmp_path / "two.svg")
    assert (tmp_path / "three.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert save_attention([[BLANK]], tmp_path / "none.svg") == 0
    assert not (tmp_path / "none.svg").exists()


def test_a_picture_holds_as_many_sentences_as_fit(tmp_path: Path) -> None:
    assert 1 < save_attention([[KISS]] * 100, tmp_path / "a.svg", dpi=600) < 10
    assert save_attention([[KISS]] * 100, tmp_path / "a.json") == 100


def test_json_holds_all_sentences(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    assert save_attention([[KISS], [BLANK]], path) == 2
    content = json.loads(path.read_text(encoding="utf-8"))
    kiss, blank = content["sentences"]
    assert content["format"] == 1
    assert kiss.keys() == {"source", "translation", "src_tokens", "tgt_tokens", "weights"}
    assert kiss["translation"] == "Sie küsste ihn ."
    assert kiss["src_tokens"] == KISS.src_tokens
    assert kiss["tgt_tokens"] == KISS.tgt_tokens
    np.testing.assert_allclose(kiss["weights"], KISS.weights, atol=1e-6)
    assert blank["weights"] == blank["src_tokens"] == blank["tgt_tokens"] == []
    assert "küsste" in path.read_text(encoding="utf-8")


def test_json_names_the_run_where_there_are_several(tmp_path: Path) -> None:
    save_attention([[KISS, KISS], [None, KISS]], tmp_path / "a.json", runs=["first", "second"])
    sentences = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["sentences"]
    assert [sentence["model"] for sentence in sentences] == ["first", "second", "second"]


def test_an_existing_file_is_replaced_only_with_overwrite(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(UsageError, match=r"a\.json: exists already: --overwrite replaces it"):
        save_attention([[KISS]], path)
    assert path.read_text(encoding="utf-8") == "old"
    save_attention([[KISS]], path, overwrite=True)
    assert json.loads(path.read_text(encoding="utf-8"))["format"] == 1
    assert list(tmp_path.iterdir()) == [path]


def test_json_is_strict_where_a_weight_does_not_exist(tmp_path: Path) -> None:
    save_attention([[make_map(["a", "b"], ["c"], [[np.nan, np.inf]])]], tmp_path / "map.json")

    [sentence] = json.loads((tmp_path / "map.json").read_bytes(), parse_constant=pytest.fail)["sentences"]
    assert sentence["weights"] == [[None, None]]
