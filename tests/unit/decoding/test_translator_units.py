"""The Translator with other units than words; its model always writes the same ids."""

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.schema.decoding import DecodingConfig
from seq2seq_cli.config.schema.model import AttentionConfig, DecoderConfig, EncoderConfig, ModelConfig
from seq2seq_cli.config.schema.text import SideConfig
from seq2seq_cli.decoding.load import translator_of
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.model.build import build_model
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.normalise import SPACING, normalise
from seq2seq_cli.text.segmenter import get_segmenter
from seq2seq_cli.text.sides import fit_codec, save_codec
from seq2seq_cli.text.vocabulary import EOS_UNIT, UNK

SRC_TEXT = "She kissed him. The dogs saw her."


def codec(text: str, unit: Unit = "word", language: str = "en", *, keep: bool = False) -> Codec:
    """A codec that knows a text; it keeps case and spacing, as a target does, or neither."""
    config = SideConfig(language=language, lowercase=not keep, spacing=keep, min_count=1)
    return fit_codec(config, unit, Counter(get_segmenter(config, unit).tokens(normalise(text))))


def translator(
    src: Codec, tgt: Codec, said: Sequence[int] = (), attention: AttentionConfig | None = None
) -> Translator:
    """A translator that writes the ids ``said``, all with the same probability, up to the length limit."""
    config = ModelConfig(
        encoder=EncoderConfig(embedding_size=8, hidden_size=8),
        attention=attention or AttentionConfig(),
        decoder=DecoderConfig(embedding_size=8, hidden_size=8),
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        model = build_model(config, src_size=len(src.vocabulary), tgt_size=len(tgt.vocabulary))
    with torch.no_grad():
        model.output.weight *= 8
        for id_ in said:
            model.output.bias[id_] = 1000
    return translator_of(model, (src, tgt), DecodingConfig(beam_size=1, no_repeat_ngram_size=0))


def test_with_bpe_there_is_a_token_per_id_and_unknown_words_are_copied() -> None:
    src, tgt = codec(SRC_TEXT + ",", "bpe"), codec("Sie küsste ihn.", "bpe", "de", keep=True)
    sentence = "SHE saw Xaver, HER dishes saw Zoë."  # no x, v, z, ë in training
    [translation] = translator(src, tgt, [UNK]).translate([sentence])[0].sentences

    ids = src.read(sentence).ids
    assert len(ids) > len(src.read(sentence).words)
    assert translation.weights.shape == (len(translation.tgt_tokens), len(ids) + 1)
    assert len(translation.src_tokens) == len(ids) + 1
    assert "".join(translation.src_tokens) == sentence.replace(" ", "") + EOS_UNIT
    assert translation.unknown == ("Xaver", "Zoë")
    assert sorted(translation.copied) == ["Xaver", "Zoë"]


def test_with_characters_an_unknown_one_is_copied_but_never_a_space() -> None:
    src, tgt = codec(SRC_TEXT, "character"), codec("Sie.", "character", "de", keep=True)
    [translation] = translator(src, tgt, [UNK]).translate(["She ж x."])[0].sentences
    assert translation.src_tokens == ["S", "h", "e", SPACING, "ж", SPACING, "x", ".", EOS_UNIT]
    assert translation.unknown == ("ж", "x")
    assert sorted(translation.copied) == ["x", "ж"]


@pytest.mark.parametrize(("unit", "repeated"), [("character", "a" * 15), ("word", "a a a")])
def test_an_ngram_of_characters_is_five_times_as_long(unit: Unit, repeated: str) -> None:
    tgt = codec("ab" if unit == "character" else "ja nein aber a", unit, "de", keep=True)
    loops = translator(codec(SRC_TEXT), tgt, tgt.token_ids("a" if unit == "character" else "▁a"))
    text = loops.with_options(no_repeat_ngram_size=3).translate([SRC_TEXT])[0].text
    assert repeated in text
    assert repeated.replace("a", "aa", 1) not in text
    assert f"{repeated} a" not in text


def test_a_sentence_longer_than_location_attention_is_translated_in_parts() -> None:
    tgt = codec("ja", "word", "de", keep=True)
    located = translator(codec(SRC_TEXT), tgt, tgt.read("ja").ids, AttentionConfig(score="location", max_length=4))
    texts = ["She kissed him", "The dogs saw her, she saw him", "She"]
    translations = located.translate(texts)
    assert [[sentence.source for sentence in t.sentences] for t in translations] == [
        ["She kissed him"],
        ["The dogs", "saw her,", "she saw him"],
        ["She"],
    ]
    assert [translation.was_cut for translation in translations] == [False, True, False]


def test_translating_with_saved_codecs_needs_no_spacy(tmp_path: Path) -> None:
    save_codec(codec(SRC_TEXT), tmp_path / "src.json")
    save_codec(codec("Oui. Non.", "bpe", "fr", keep=True), tmp_path / "tgt.json")
    program = """
import sys
from pathlib import Path
from tests.unit.decoding.test_translator_units import translator
from seq2seq_cli.text.sides import load_codec
src, tgt = (load_codec(Path(path)) for path in sys.argv[1:])
assert translator(src, tgt).translate(["She didn't kiss him."])[0].text
assert "spacy" not in sys.modules
"""
    command = [sys.executable, "-c", program, str(tmp_path / "src.json"), str(tmp_path / "tgt.json")]
    root = Path(__file__).parents[3]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("unit", ["word", "bpe", "character"])
def test_addresses_and_marks_come_through_whatever_the_unit(unit: Unit) -> None:
    src, tgt = codec(SRC_TEXT, unit), codec("Sie küsste ihn.", unit, "de", keep=True)
    text = "<p>She saw <b>the dogs</b> at https://a.org/x_1, <br>two dogs.</p>\r\n\r\n- me@a.org **saw** `her  x`\n"
    [translation] = translator(src, tgt).translate([text])
    assert translation.source == text
    assert [sentence.unknown for sentence in translation.sentences if "https" in sentence.unknown] == []
    for kept in ("<p>", "<b>", "</b>", "https://a.org/x_1", "<br>", "</p>\r\n\r\n- ", "me@a.org", "`her  x`"):
        assert translation.text.count(kept) == 1, kept
    assert translation.text.count("**") == 2
    assert translation.text.endswith("\n")


def test_a_passage_is_translated_sentence_by_sentence() -> None:
    src, tgt = codec(SRC_TEXT), codec("ja", "word", "de", keep=True)
    short = translator(src, tgt, tgt.read("ja").ids).with_options(max_source_length=6)
    [translation] = short.translate(["She kissed him. The dogs saw her.\n\tShe kissed?  \n"])
    assert [sentence.source for sentence in translation.sentences] == [
        "She kissed him.",
        "The dogs saw her.",
        "She kissed?",
    ]
    one = short.translate(["She kissed him."])[0].text
    assert translation.text.startswith(f"{one} ja")
    assert translation.text.endswith("  \n")
    assert translation.text.count("\n") == 2


def test_a_model_that_samples_keeps_addresses_too() -> None:
    src, tgt = codec(SRC_TEXT), codec("Sie küsste ihn.", "word", "de", keep=True)
    sampling = translator(src, tgt).with_options(sampling=True)
    assert "me@a.org" in sampling.translate(["She saw me@a.org."])[0].text
