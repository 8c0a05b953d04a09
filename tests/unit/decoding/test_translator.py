"""The Translator with a small untrained model: properties of every model."""

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from seq2seq_cli.config.schema.decoding import DecodingConfig
from seq2seq_cli.config.schema.model import DecoderConfig, EncoderConfig, ModelConfig
from seq2seq_cli.config.schema.text import SourceConfig, TargetConfig
from seq2seq_cli.decoding.demands import Demands, Glossary
from seq2seq_cli.decoding.load import translator_of
from seq2seq_cli.decoding.search.rules import Rules
from seq2seq_cli.decoding.translation import SentenceTranslation, Translation
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.sides import fit_codec
from seq2seq_cli.text.vocabulary import EOS_UNIT, UNK, UNK_UNIT, Vocabulary

SRC_WORDS = ["she", "he", "tom", "kissed", "saw", "her", "him", "the", "a", "dog", "house", ".", ",", "?"]
TGT_UNITS = ["▁sie", "▁er", "▁Tom", "▁küsste", "▁sah", "▁ihn", "▁den", "▁Hund", ".", ",", "?"]
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


@pytest.fixture(scope="module")
def src_codec() -> Codec:
    return fit_codec(
        SourceConfig(lowercase=True, spacing=False, language="en", min_count=1), "word", Counter(SRC_WORDS)
    )


@pytest.fixture(scope="module")
def tgt_codec() -> Codec:
    return fit_codec(TargetConfig(language="de", min_count=1), "word", Counter(TGT_UNITS))


@pytest.fixture(params=["luong", "bahdanau"])
def model(request: pytest.FixtureRequest, src_codec: Codec, tgt_codec: Codec) -> Iterator[Seq2Seq]:
    config = ModelConfig(
        encoder=EncoderConfig(embedding_size=12, hidden_size=16),
        decoder=DecoderConfig(kind=request.param, embedding_size=12, hidden_size=16, dropout=0.5),
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        # In double precision the order of a sum cannot change which word is best.
        model = build_model(config, src_size=len(src_codec.vocabulary), tgt_size=len(tgt_codec.vocabulary)).double()
        with torch.no_grad():
            model.output.weight *= 8
        yield model


def translator(model: Seq2Seq, src_codec: Codec, tgt_codec: Codec, **decoding: float) -> Translator:
    options = DecodingConfig.model_validate({"beam_size": 1, "no_repeat_ngram_size": 0, **decoding})
    return translator_of(model, (src_codec, tgt_codec), options)


def sentences_of(translator: Translator, texts: list[str]) -> list[SentenceTranslation]:
    return [sentence for translation in translator.translate(texts) for sentence in translation.sentences]


def assert_same(one: Translation, other: Translation) -> None:
    assert one.source == other.source
    assert one.text == other.text
    assert one.alignment == other.alignment
    assert len(one.sentences) == len(other.sentences)
    for mine, theirs in zip(one.sentences, other.sentences, strict=True):
        assert mine.tgt_tokens == theirs.tgt_tokens
        np.testing.assert_allclose(mine.weights, theirs.weights, atol=1e-6)
        assert mine.log_probability == pytest.approx(theirs.log_probability, abs=1e-5)


@pytest.mark.parametrize("options", [{"beam_size": 1}, {"beam_size": 5, "min_length": 4}], ids=["greedy", "beam"])
def test_a_translation_does_not_depend_on_its_batch(
    model: Seq2Seq, src_codec: Codec, tgt_codec: Codec, options: dict[str, float]
) -> None:
    together = translator(model, src_codec, tgt_codec, batch_size=4, **options).translate(SENTENCES)
    alone = translator(model, src_codec, tgt_codec, batch_size=1, **options)
    assert len({t.text for t in together}) > 4
    for sentence, translation in zip(SENTENCES, together, strict=True):
        assert_same(translation, alone.translate([sentence])[0])


def test_a_translation_does_not_depend_on_the_order(model: Seq2Seq, src_codec: Codec, tgt_codec: Codec) -> None:
    translate = translator(model, src_codec, tgt_codec, batch_size=3).translate
    for one, other in zip(translate(SENTENCES), reversed(translate(SENTENCES[::-1])), strict=True):
        assert_same(one, other)


def test_a_stream_has_the_same_translations(model: Seq2Seq, src_codec: Codec, tgt_codec: Codec) -> None:
    translators = translator(model, src_codec, tgt_codec)
    streamed = list(translators.translate_stream(iter(SENTENCES)))
    for one, other in zip(streamed, translators.translate(SENTENCES), strict=True):
        assert_same(one, other)


def test_a_stream_is_not_read_to_its_end_first(model: Seq2Seq, src_codec: Codec, tgt_codec: Codec) -> None:
    endless = translator(model, src_codec, tgt_codec).translate_stream(itertools.repeat(""))
    assert [t.text for t in itertools.islice(endless, 3)] == ["", "", ""]


def test_blank_sentences_stay_blank(model: Seq2Seq, src_codec: Codec, tgt_codec: Codec) -> None:
    for translation in translator(model, src_codec, tgt_codec).translate(["", " \t\n", "\u00a0"]):
        assert translation.text == translation.source
        assert translation.sentences == ()
        assert translation.alignment == []


def test_no_sentences_have_no_translations(model: Seq2Seq, src_codec: Codec, tgt_codec: Codec) -> None:
    assert translator(model, src_codec, tgt_codec).translate([]) == []


def test_every_row_of_the_weights_is_a_distribution_over_the_source(
    model: Seq2Seq, src_codec: Codec, tgt_codec: Codec
) -> None:
    for translation in sentences_of(translator(model, src_codec, tgt_codec), ["She kissed him.", SENTENCES[1]]):
        assert translation.weights.shape == (len(translation.tgt_tokens), len(translation.src_tokens))
        np.testing.assert_allclose(translation.weights.sum(axis=1), 1, atol=1e-6)


def test_the_source_tokens_keep_their_case(model: Seq2Seq, src_codec: Codec, tgt_codec: Codec) -> None:
    [translation] = sentences_of(translator(model, src_codec, tgt_codec), ["She  kissed  Xaver."])
    assert translation.source == "She  kissed  Xaver."
    assert translation.src_tokens == ["She", "kissed", "Xaver", ".", EOS_UNIT]
    assert translation.unknown == ("Xaver",)


def test_the_length_limit_counts_source_tokens(model: Seq2Seq, src_codec: Codec, tgt_codec: Codec) -> None:
    with torch.no_grad():
        model.output.bias[tgt_codec.vocabulary.id("▁Hund")] = 1000
    limited = translator(model, src_codec, tgt_codec, max_length_factor=1.5, max_length_extra=2)
    [translation] = sentences_of(limited, ["she kissed him"])
    assert translation.text == " ".join(["Hund"] * 6)  # int(1.5 * 3) + 2
    assert EOS_UNIT not in translation.tgt_tokens


def test_the_limits_have_room_for_as_many_words_of_characters(
    model: Seq2Seq, src_codec: Codec, tgt_codec: Codec
) -> None:
    plain = translator(model, src_codec, tgt_codec, max_length_extra=10, no_repeat_ngram_size=3)
    # spaCy cuts Chinese into characters.
    chinese = Vocabulary.fit(Counter("我喜欢吃苹果和香蕉" * 2), min_count=1, max_size=None)
    for codec in (replace(tgt_codec, unit="character"), replace(tgt_codec, vocabulary=chinese)):
        characters = replace(plain, tgt_codec=codec)
        options = [each.search_options for each in (plain, characters)]
        limits = [Rules(each, [[5, 6]]).limits.tolist() for each in options]
        assert limits == [[3 + 10], [3 + 50]]
        assert [each.no_repeat_ngram_size for each in options] == [3, 15]


def test_a_term_in_an_address_or_in_code_is_left_alone(model: Seq2Seq, src_codec: Codec, tgt_codec: Codec) -> None:
    demands = Demands(glossary=Glossary({"dog": ("Hund",)}))
    asked = replace(translator(model, src_codec, tgt_codec), demands=demands)
    for protected in ("https://example.org/dog", "dog@example.org", "`dog`"):
        [found] = asked.translate([f"She saw {protected} ."])
        assert protected in found.text
        assert "Hund" not in "".join(found.sentences[0].forced)
    [found] = asked.translate(["She saw `dog` and dog."])
    assert "".join(found.sentences[0].forced).count("Hund") == 1


KEPT = ["https://a.org/b", "me@a.org", "/usr/bin/x", "@me", "#tag", "`a  b`", "<code>a <b></code>", "AT&amp;T", "(%d)"]
KEPT += ["%s", "%(name)s", "{name}", "{{ name }}", "${name}", "$1", "❤️", "👍🏽", "👩‍👧", "🇩🇪", "1️⃣"]


@pytest.mark.parametrize("bias", [-1000, 0, 1000])
def test_what_is_kept_comes_through_once_whatever_the_model_writes(
    model: Seq2Seq, src_codec: Codec, tgt_codec: Codec, bias: float
) -> None:
    with torch.no_grad():
        model.output.bias[UNK] = bias
    patterns = ["She saw {}.", "{} saw her", "Tom saw, {}", "She {} saw {} the dog.", "Tom saw. {}", "▁ saw {}"]
    asked = [(kept, pattern.count("{}"), pattern.replace("{}", kept)) for kept in KEPT for pattern in patterns]
    found = translator(model, src_codec, tgt_codec).translate([text for *_, text in asked])
    for (kept, times, text), translation in zip(asked, found, strict=True):
        assert translation.text.count(kept) == times, text
        assert kept not in translation.unknown


@pytest.mark.parametrize(
    "text", ["She saw her", "She saw her.<br>Tom", "<p>She saw\nher.</p>", "She saw her. He", "She\fsaw her"]
)
def test_every_sentence_is_translated_by_itself(model: Seq2Seq, src_codec: Codec, tgt_codec: Codec, text: str) -> None:
    [found] = translator(model, src_codec, tgt_codec).translate([text])
    alone = translator(model, src_codec, tgt_codec).translate([each.reading.text for each in found.sentences])
    assert [each.written for each in found.sentences] == [each.text for each in alone]
    assert len(found.sentences) == 1 + ("<br>" in text or ". " in text)


def test_unknown_words_are_copied_and_unk_is_never_written(model: Seq2Seq, src_codec: Codec, tgt_codec: Codec) -> None:
    with torch.no_grad():
        model.output.bias[UNK] = 1000
    [translation] = sentences_of(translator(model, src_codec, tgt_codec), ["Xaver kissed, Zoë."])
    # Once there is nothing left to copy, the model writes other tokens.
    assert sorted(translation.copied) == ["Xaver", "Zoë", "kissed"]
    assert all(translation.tgt_tokens)
    assert {"Xaver", "Zoë", "kissed"} <= set(translation.tgt_tokens) - {UNK_UNIT}


def test_dropout_is_off_and_the_model_is_left_as_it_was(model: Seq2Seq, src_codec: Codec, tgt_codec: Codec) -> None:
    translate = translator(model, src_codec, tgt_codec).translate
    model.train()
    first, second = translate(SENTENCES), translate(SENTENCES)
    assert model.training
    for one, other in zip(first, second, strict=True):
        assert_same(one, other)
    model.eval()
    translate(SENTENCES)
    assert not model.training


def test_a_sentence_of_characters_may_have_five_times_as_many_tokens(
    model: Seq2Seq, src_codec: Codec, tgt_codec: Codec
) -> None:
    plain = translator(model, src_codec, tgt_codec, max_source_length=4)
    characters = replace(plain, src_codec=replace(src_codec, unit="character", rules=None))
    assert len(sentences_of(characters, ["she kissed him, her"])) == 1  # 19 characters
    assert len(sentences_of(characters, ["she kissed him, her dog"])) > 1
