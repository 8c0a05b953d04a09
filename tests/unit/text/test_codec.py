import json
from collections import Counter
from pathlib import Path

import pytest

from seq2seq_cli.config.schema import SideConfig, SourceConfig, TargetConfig
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.segmenter import Unit, get_segmenter
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD, UNK


def fitted(config: SideConfig, *texts: str, unit: Unit = "word") -> Codec:
    tokens = get_segmenter(config, unit).tokens
    return Codec.fit(config, unit, Counter(token for text in texts for token in tokens(text)))


@pytest.fixture
def target() -> Codec:
    return fitted(TargetConfig(language="de", min_count=1), "Sie küsste ihn.", "Geht's dir gut?")


@pytest.fixture
def source() -> Codec:
    return fitted(SourceConfig(language="en", min_count=1), "She kissed him.")


def test_with_spacing_the_text_comes_back_exactly(target: Codec) -> None:
    for text in ("Sie küsste ihn.", "Geht's dir gut?", "ihn ."):
        known = fitted(TargetConfig(language="de", min_count=1), text)
        assert known.decode(known.encode(text)) == text
    assert target.decode(target.encode(" Sie  küsste ihn.\n")) == "Sie küsste ihn."


def test_without_spacing_tokens_are_joined_by_spaces() -> None:
    codec = fitted(TargetConfig(language="de", min_count=1, spacing=False, lowercase=True), "Sie küsste ihn.")
    assert codec.decode(codec.encode("Sie küsste ihn.")) == "sie küsste ihn ."


def test_case_and_spacing_of_the_source_do_not_matter(source: Codec) -> None:
    ids = source.encode("She kissed him.")
    assert UNK not in ids
    assert source.encode("she kissed him .") == source.encode("SHE KISSED HIM.") == ids


def test_a_person_sees_a_token_for_each_id_in_its_own_case(source: Codec) -> None:
    text = "She didn't kiss\tHIM."
    assert source.tokens(text) == ["She", "did", "n't", "kiss", "HIM", "."]
    assert len(source.encode(text)) == len(source.tokens(text))


def test_special_ids_are_not_shown_and_unknown_ones_are_copied(target: Codec) -> None:
    sie, kuesste, dot = target.encode("Sie küsste .")[:2] + target.encode("ihn.")[1:]
    ids = [BOS, sie, kuesste, UNK, dot, EOS, PAD]

    assert target.decode(ids, {3: "Maria"}) == "Sie küsste Maria."
    assert target.units(ids, {3: "Maria"}) == ["Sie", "küsste", "Maria", "."]
    assert target.decode(ids) == "Sie küsste."
    assert target.units(ids) == ["Sie", "küsste", "", "."]


def test_unknown_words_without_a_copy_leave_no_gap(source: Codec) -> None:
    she, him = source.encode("she him")
    assert source.decode([she, UNK, him]) == "she him"
    assert source.decode([UNK, she, UNK, him], {2: "Tom"}) == "she Tom him"


def test_text_that_spells_a_special_unit_stays_text() -> None:
    config = SideConfig(language="en", lowercase=False, spacing=False, min_count=1)
    codec = Codec.fit(config, "word", {"<eos>": 3, "a": 1})
    assert not {PAD, BOS, EOS} & set(codec.encode("<pad> <bos> <eos> a <unk>"))


@pytest.mark.parametrize("text", ["", "  ", "\N{NO-BREAK SPACE}"])
def test_a_blank_text_is_no_ids(target: Codec, text: str) -> None:
    assert target.encode(text) == []
    assert target.decode([]) == ""


def test_a_saved_codec_loads_to_an_equal_one_and_can_be_read(tmp_path: Path, target: Codec) -> None:
    path = tmp_path / "tgt.json"
    target.save(path)

    assert Codec.load(path) == target
    assert '"▁küsste"' in path.read_text(encoding="utf-8")


def test_keys_of_another_version_are_passed_over(tmp_path: Path, target: Codec) -> None:
    path = tmp_path / "tgt.json"
    target.save(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    content["later"] = content["config"]["later"] = 1
    path.write_text(json.dumps(content), encoding="utf-8")

    assert Codec.load(path) == target


@pytest.mark.parametrize(
    "change",
    [
        {"words": ["a", "a"]},
        {"words": ["<eos>"]},
        {"words": [1]},
        {"words": None},
        {"config": {}},
        {"config": {"language": "../en", "lowercase": True, "spacing": True}},
    ],
)
def test_a_damaged_codec_is_refused(tmp_path: Path, target: Codec, change: dict[str, object]) -> None:
    path = tmp_path / "tgt.json"
    target.save(path)
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")

    with pytest.raises(ModelFileError, match=r"tgt\.json: damaged"):
        Codec.load(path)


def test_a_codec_of_a_newer_s2s_asks_for_an_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "tgt.json"
    path.write_text('{"format": 99}', encoding="utf-8")

    with pytest.raises(ModelFileError, match=r"made by a newer s2s .* upgrade"):
        Codec.load(path)
