"""The Translator with small untrained models: properties of every model."""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.schema.decoding import DecodingConfig
from seq2seq_cli.config.schema.model import AttentionConfig, DecoderConfig, EncoderConfig, ModelConfig
from seq2seq_cli.config.schema.text import SideConfig
from seq2seq_cli.decoding.demands import Demands
from seq2seq_cli.decoding.load import load_translator, translator_of
from seq2seq_cli.decoding.search.strategy import Rules
from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.model.build import build_model
from seq2seq_cli.text.characters import SPACING, normalise
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.vocabulary import EOS_UNIT, UNK, UNK_UNIT, Vocabulary
from tests.unit.text.test_codec import UNITS, fitted
from tests.untrained import make_run

SRC_TEXT = "She kissed him. Tom saw the dogs, a dog, her house?"
TGT_TEXT = "Sie küsste ihn. Er sah den Hund, Tom?"
SENTENCES = [
    "She kissed him.",
    "Tom saw the dog, the house, a dog, her, him and the dog.",
    "He saw her.",
    "",
    "Tom",
    "The dog saw Tom.",
    "   ",
    "She saw the house?",
    "Tom kissed her, he saw him.",
]
KEPT = ["https://a.org/b", "me@a.org", "/usr/bin/x", "@me", "#tag", "`a  b`", "<code>a <b></code>", "AT&amp;T", "(%d)"]
KEPT += ["%s", "%sTom", "{name}", "{{ name }}", "${name}", "$1", "❤️", "👍🏽", "👩‍👧", "🇩🇪", "1️⃣"]


def codec(text: str, unit: Unit = "word", language: str = "en", *, keep: bool = False) -> Codec:
    """A codec that knows a text; it keeps case and spacing, as a target does, or neither."""
    config = SideConfig(language=language, lowercase=not keep, spacing=keep, min_count=1)
    return fitted(config, normalise(text), unit=unit)


SRC = codec(SRC_TEXT)
TGT = codec(TGT_TEXT, "word", "de", keep=True)


def translator(
    src: Codec = SRC,
    tgt: Codec = TGT,
    *,
    said: Sequence[int] = (),
    bias: float = 1000,
    attention: AttentionConfig | None = None,
    kind: str = "luong",
) -> Translator:
    """A translator that writes the ids ``said``, all with the same probability, up to the length limit."""
    config = ModelConfig(
        encoder=EncoderConfig(embedding_size=12, hidden_size=16),
        attention=attention or AttentionConfig(),
        decoder=DecoderConfig.model_validate({"kind": kind, "embedding_size": 12, "hidden_size": 16, "dropout": 0.5}),
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        # In double precision the order of a sum cannot change which word is best.
        model = build_model(config, src_size=len(src.vocabulary), tgt_size=len(tgt.vocabulary)).double()
    with torch.no_grad():
        model.output.weight *= 8
        for id_ in said:
            model.output.bias[id_] = bias
    return translator_of(model, (src, tgt), DecodingConfig(beam_size=1, no_repeat_ngram_size=0))


def with_options(made: Translator, **changes: float | str | bool) -> Translator:
    return replace(made, options=replace(made.options, **changes))  # type: ignore[arg-type]


def assert_same(one: Translation, other: Translation) -> None:
    assert (one.source, one.text, one.alignment) == (other.source, other.text, other.alignment)
    for mine, theirs in zip(one.sentences, other.sentences, strict=True):
        assert mine.tgt_tokens == theirs.tgt_tokens
        np.testing.assert_allclose(mine.weights, theirs.weights, atol=1e-6)
        assert mine.log_probability == pytest.approx(theirs.log_probability, abs=1e-5)


@pytest.mark.parametrize("options", [{"beam_size": 1}, {"beam_size": 5, "min_length": 4}], ids=["greedy", "beam"])
@pytest.mark.parametrize("kind", ["luong", "bahdanau"])
def test_a_translation_does_not_depend_on_the_other_texts(kind: str, options: dict[str, float]) -> None:
    made = with_options(translator(kind=kind), batch_size=4, **options)
    together = made.translate(SENTENCES)
    assert len({each.text for each in together}) > 4
    alone = with_options(made, batch_size=1)
    for sentence, translation in zip(SENTENCES, together, strict=True):
        assert_same(translation, alone.translate([sentence])[0])
    for others in (reversed(made.translate(SENTENCES[::-1])), made.translate_stream(iter(SENTENCES))):
        for one, other in zip(together, others, strict=True):
            assert_same(one, other)


def test_a_stream_is_not_read_to_its_end_first() -> None:
    endless = translator().translate_stream(itertools.repeat(""))
    assert [each.text for each in itertools.islice(endless, 3)] == ["", "", ""]


def test_blank_sentences_stay_blank() -> None:
    assert translator().translate([]) == []
    for translation in translator().translate(["", " \t\n", "\u00a0"]):
        assert translation.text == translation.source
        assert (translation.sentences, translation.alignment) == ((), [])


def test_the_tokens_have_weights_and_the_case_of_the_source() -> None:
    [translation] = translator().translate(["She  kissed  Xaver."])[0].sentences
    assert translation.source == "She  kissed  Xaver."
    assert translation.src_tokens == ["She", "kissed", "Xaver", ".", EOS_UNIT]
    assert translation.unknown == ("Xaver",)
    assert translation.weights.shape == (len(translation.tgt_tokens), len(translation.src_tokens))
    np.testing.assert_allclose(translation.weights.sum(axis=1), 1, atol=1e-6)


def test_the_length_limit_counts_source_tokens() -> None:
    limited = with_options(translator(said=TGT.token_ids("▁Hund")), max_length_factor=1.5, max_length_extra=2)
    [translation] = limited.translate(["she kissed him"])[0].sentences
    assert translation.text == " ".join(["Hund"] * 6)  # int(1.5 * 3) + 2
    assert EOS_UNIT not in translation.tgt_tokens


def test_the_limits_have_room_for_as_many_words_of_characters() -> None:
    plain = with_options(translator(), max_length_extra=10, no_repeat_ngram_size=3)
    # spaCy cuts Chinese into characters.
    chinese = Vocabulary.fit(Counter("我喜欢吃苹果和香蕉" * 2), min_count=1, max_size=None)
    for tgt in (replace(TGT, unit="character"), replace(TGT, vocabulary=chinese)):
        options = [each.search_options for each in (plain, replace(plain, tgt_codec=tgt))]
        assert [Rules(each, [[5, 6]]).limits.tolist() for each in options] == [[3 + 10], [3 + 50]]
        assert [each.no_repeat_ngram_size for each in options] == [3, 15]
    characters = replace(with_options(plain, max_source_length=4), src_codec=replace(SRC, unit="character", rules=None))
    numbers = [
        len(characters.translate([text])[0].sentences) for text in ("she kissed him, her", "she kissed him, her dog")
    ]
    assert numbers == [1, 2]  # 19 characters, and 22


@pytest.mark.parametrize(("unit", "repeated"), [("character", "a" * 15), ("word", "a a a")])
def test_an_ngram_of_characters_is_five_times_as_long(unit: Unit, repeated: str) -> None:
    tgt = codec("ab" if unit == "character" else "ja nein aber a", unit, "de", keep=True)
    loops = translator(tgt=tgt, said=tgt.token_ids("a" if unit == "character" else "▁a"))
    text = with_options(loops, no_repeat_ngram_size=3).translate(["She kissed him, the dog saw her"])[0].text
    assert repeated in text
    assert repeated.replace("a", "aa", 1) not in text
    assert f"{repeated} a" not in text


def test_a_term_in_an_address_or_in_code_is_left_alone() -> None:
    asked = translator().with_demands(Demands(terms={"dog": ("Hund",)}))
    for protected, times in (("https://example.org/dog", 0), ("`dog`", 0), ("`dog` and dog", 1)):
        [found] = asked.translate([f"She saw {protected} ."])
        assert protected.split()[0] in found.text
        assert "".join(found.sentences[0].forced).count("Hund") == times


@pytest.mark.parametrize("bias", [-1000, 0, 1000])
def test_what_is_kept_comes_through_once_whatever_the_model_writes(bias: float) -> None:
    patterns = ["She saw {}.", "{} saw her", "Tom saw, {}", "She {} saw {} the dog.", "Tom saw. {}", "▁ saw {}"]
    asked = [(kept, pattern.count("{}"), pattern.replace("{}", kept)) for kept in KEPT for pattern in patterns]
    found = translator(said=[UNK], bias=bias).translate([text for *_, text in asked])
    for (kept, times, text), translation in zip(asked, found, strict=True):
        assert translation.text.count(kept) == times, text
        assert kept not in translation.unknown


def test_a_sentence_longer_than_location_attention_is_translated_in_parts() -> None:
    located = translator(attention=AttentionConfig(score="location", max_length=4))
    translations = located.translate(["She kissed him", "The dogs saw her, she saw him", "She"])
    assert [[sentence.source for sentence in each.sentences] for each in translations] == [
        ["She kissed him"],
        ["The dogs", "saw her,", "she saw him"],
        ["She"],
    ]
    assert [translation.was_cut for translation in translations] == [False, True, False]


@pytest.mark.parametrize(
    ("unit", "source", "unknown", "copied"),
    [
        ("word", "Xaver kissed, Zoë.", ("Xaver", "Zoë"), ["Xaver", "Zoë", "kissed"]),
        ("bpe", "SHE saw Xaver, HER dishes saw Zoë.", ("Xaver", "Zoë"), ["Xaver", "Zoë"]),  # no x, v, z, ë in training
        ("character", "She ж x.", ("ж", "x"), ["x", "ж"]),  # but never a space
    ],
)
def test_unknown_words_are_copied_and_unk_is_never_written(
    unit: Unit, source: str, unknown: tuple[str, ...], copied: list[str]
) -> None:
    src, tgt = codec(SRC_TEXT, unit), codec(TGT_TEXT, unit, "de", keep=True)
    [translation] = translator(src, tgt, said=[UNK]).translate([source])[0].sentences
    assert translation.unknown == unknown
    # Once there is nothing left to copy, the model writes other tokens.
    assert sorted(translation.copied) == copied
    assert set(copied) <= set(translation.tgt_tokens) - {UNK_UNIT}
    assert translation.weights.shape == (len(translation.tgt_tokens), len(src.read(source).ids) + 1)
    assert "".join(translation.src_tokens).replace(SPACING, "") == source.replace(" ", "") + EOS_UNIT


@pytest.mark.parametrize("unit", UNITS)
def test_addresses_and_marks_come_through_whatever_the_unit(unit: Unit) -> None:
    src, tgt = codec(SRC_TEXT, unit), codec(TGT_TEXT, unit, "de", keep=True)
    text = "<p>She saw <b>the dogs</b> at https://a.org/x_1, <br>two dogs.</p>\r\n\r\n- me@a.org **saw** `her  x`\n"
    for made in (translator(src, tgt), with_options(translator(src, tgt), sampling=True)):
        [translation] = made.translate([text])
        assert translation.source == text
        for kept in ("<p>", "<b>", "</b>", "https://a.org/x_1", "<br>", "</p>\r\n\r\n- ", "me@a.org", "`her  x`"):
            assert translation.text.count(kept) == 1, kept
        assert translation.text.count("**") == 2
        assert translation.text.endswith("\n")


def test_an_edited_config_holds_at_once(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    assert load_translator(run).options.beam_size == 5
    config = (run.path / "config.yaml").read_text(encoding="utf-8")
    (run.path / "config.yaml").write_text(config.replace("beam_size: 5", "beam_size: 2"), encoding="utf-8")
    assert load_translator(run).options.beam_size == 2
