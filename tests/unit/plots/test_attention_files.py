"""Attention in files: pictures and JSON."""

import json
from pathlib import Path

import numpy as np
import pytest

from seq2seq_cli.errors import UsageError
from seq2seq_cli.plots.attention_files import check_attention_path, save_attention
from tests.unit.plots.maps import KISS, make_map

BLANK = make_map([], [])


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.PNG", b"\x89PNG"), ("a.svg", b"<?xml")])
def test_one_sentence_is_drawn_in_the_named_file(tmp_path: Path, name: str, start: bytes) -> None:
    assert save_attention([KISS], tmp_path / name) == [tmp_path / name]
    assert (tmp_path / name).read_bytes().startswith(start)


def test_each_of_several_sentences_has_its_own_picture(tmp_path: Path) -> None:
    files = save_attention([KISS, BLANK, KISS], tmp_path / "a.b.svg")
    assert files == [tmp_path / "a.b-1.svg", tmp_path / "a.b-3.svg"]
    assert sorted(tmp_path.iterdir()) == files


def test_json_holds_all_sentences(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    assert save_attention([KISS, BLANK], path) == [path]
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


def test_an_existing_file_is_replaced_only_with_overwrite(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(UsageError, match=r"a\.json: is there already: --overwrite replaces it"):
        save_attention([KISS], path)
    assert path.read_text(encoding="utf-8") == "old"
    save_attention([KISS], path, overwrite=True)
    assert json.loads(path.read_text(encoding="utf-8"))["format"] == 1
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["a.pdf", "a", "png", "a.png.txt", ".png"])
def test_other_files_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"\.png, \.svg or \.json"):
        check_attention_path(tmp_path / name, overwrite=False)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere: make it first"):
        check_attention_path(tmp_path / "nowhere" / "a.png", overwrite=False)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.png").mkdir()
    with pytest.raises(UsageError, match="folder"):
        check_attention_path(tmp_path / "a.png", overwrite=True)


def test_the_picture_of_a_second_sentence_is_not_replaced_unasked(tmp_path: Path) -> None:
    (tmp_path / "a-2.png").touch()
    with pytest.raises(UsageError, match=r"a-2\.png: is there already"):
        check_attention_path(tmp_path / "a.png", overwrite=False)
    check_attention_path(tmp_path / "a.png", overwrite=True)


def test_json_is_strict_where_a_weight_does_not_exist(tmp_path: Path) -> None:
    [file] = save_attention([make_map(["a", "b"], ["c"], [[np.nan, np.inf]])], tmp_path / "map.json")

    assert json.loads(file.read_bytes(), parse_constant=pytest.fail)["sentences"][0]["weights"] == [[None, None]]
