from collections import Counter
from itertools import chain

import numpy as np
from hypothesis import assume, example, given
from hypothesis import strategies as st

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.schema.text import SideConfig
from seq2seq_cli.text.characters import (
    BEGINNING,
    CONTINUING,
    HIDDEN,
    SPACING,
    capitalise,
    lower,
    normalise,
    small_first,
    upper,
)
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.segmenter import get_segmenter
from seq2seq_cli.text.sides import fit_codec
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD, SPECIAL_UNITS, UNK, Vocabulary

# Texts of any code points, halves of surrogate pairs included, and of pieces that the tokenizer or the codec treats
# specially.
SPECIAL = [" ", "\t", "\xa0", "\u0301", "İ", "Σ", "ß", "_", "<eos>", "<unk>", SPACING, CONTINUING, BEGINNING]
WORDS = ["a", "don't", "DON'T", "z.B.", ":)", ".", "…"]
any_text = st.text(st.characters(), max_size=60) | st.lists(
    st.sampled_from(SPECIAL + WORDS) | st.text(st.characters(), max_size=3), max_size=20
).map("".join)
any_unit = st.sampled_from(["word", "bpe", "character"])
any_language = st.sampled_from(["en", "de", "ru", "tr", "zh", "eo"])


def knows(text: str, unit: Unit, config: SideConfig) -> Codec:
    """A codec learned from the text, so that nothing in it is unknown."""
    tokens = get_segmenter(config, unit).tokens(normalise(text))
    assume(unit != "word" or not set(SPECIAL_UNITS) & set(tokens))  # a text's own "<eos>" is an unknown word
    return fit_codec(config, unit, Counter(tokens))


def target(language: str) -> SideConfig:
    return SideConfig(language=language, lowercase=False, spacing=True, min_count=1, max_size=None)


def source(language: str) -> SideConfig:
    return SideConfig(language=language, lowercase=True, spacing=False, min_count=1, max_size=None)


@given(any_text)
def test_normalised_text_is_normal_can_be_written_and_holds_single_spaces_alone(text: str) -> None:
    normal = normalise(text)
    assert normalise(normal) == normal
    normal.encode("utf-8")
    assert normal.split() == (normal.split(" ") if normal else [])
    assert not {SPACING, CONTINUING, BEGINNING} & set(normal)


@given(any_text, any_unit, any_language)
def test_text_of_known_units_is_written_as_it_was_read(text: str, unit: Unit, language: str) -> None:
    codec = knows(text, unit, target(language))
    reading = codec.read(text)
    assert not {PAD, UNK, BOS, EOS} & set(reading.ids)
    written = codec.write(reading.ids, case=reading.case)
    assert written.text == normalise(text)
    assert written.units == reading.parts


@given(any_text, any_language)
def test_subwords_keep_the_case_of_the_first_letter(text: str, language: str) -> None:
    assume(HIDDEN not in text)
    texts = {normalise(each(text, language)) for each in (lower, upper, small_first, capitalise)}
    tokens = get_segmenter(target(language), "bpe").tokens
    # Most of the texts begin with a capital, so that first words are read as inside texts.
    others = ["A b", "B a", "C b", "D", "E"]
    codec = fit_codec(target(language), "bpe", Counter(chain.from_iterable(map(tokens, [*texts, *others]))))
    assert codec.small_words
    for each in texts:
        reading = codec.read(each)
        written = codec.write(reading.ids, case=reading.case).text
        # A name that begins a text in small letters keeps its capital.
        assert each in (written, small_first(written, language) if reading.case == "small" else written)
        assert reading.case != "usual" or codec.text(reading.ids) == each
        assert codec.resample(reading.ids, 0.0, np.random.default_rng(0)) == reading.ids


@given(any_text | st.sampled_from(["She didn't.", "Mr. O'Neil, I'm.", "U.S.A."]), any_unit, any_language)
@example("A 🏻Σ", "character", "el")  # the sigma stands at the end of a word of its own
def test_the_case_of_the_source_is_ignored(text: str, unit: Unit, language: str) -> None:
    codec = knows(text, unit, source(language))
    small, capital = lower(normalise(text), language), upper(normalise(text), language)
    assume(lower(capital, language) == small == normalise(small))  # not ß, for one
    assert UNK not in codec.read(text).ids
    assert codec.read(capital).ids == codec.read(small).ids == codec.read(text).ids


@given(any_text, any_unit, any_language, st.booleans(), st.booleans(), st.booleans())
def test_a_reading_has_the_tokens_of_the_text_with_their_ids_and_surface_forms(
    text: str, unit: Unit, language: str, lowercase: bool, spacing: bool, seen: bool
) -> None:
    config = SideConfig(language=language, lowercase=lowercase, spacing=spacing, min_count=1, max_size=None)
    codec = knows(text, unit, config) if seen else fit_codec(config, unit, {"a": 1})
    reading, tokens = codec.read(text), get_segmenter(config, unit).tokens(normalise(text))
    surfaces = [word.text for word in reading.words]

    assert [word.ids for word in reading.words] == [codec.token_ids(token) for token in tokens]
    assert [word.ids for word in reading.words] == codec.vocabulary.split(reading.ids)
    assert [word.is_unknown for word in reading.words] == [UNK in word.ids for word in reading.words]
    assert "".join(surfaces).replace(SPACING, "") == normalise(text).replace(" ", "")
    if not lowercase:
        bare = (
            tokens if unit == "character" else [token.removeprefix(BEGINNING).removeprefix(SPACING) for token in tokens]
        )
        assert surfaces == bare
    elif len(lower(normalise(text), language)) == len(normalise(text)):
        assert [lower(surface, language) for surface in surfaces if "Σ" not in surface] == [
            token if unit == "character" else token.removeprefix(SPACING)
            for token, surface in zip(tokens, surfaces, strict=True)
            if "Σ" not in surface  # its lower case is another at the end of a word
        ]
    for word in reading.words:
        assert len(word.parts) == len(word.ids)
        assert "".join(word.parts) == word.text
    assert reading.parts == [part for word in reading.words for part in word.parts]


@given(any_text, any_language, st.floats(0, 1), st.integers(0, 9))
def test_dropout_never_changes_the_text(text: str, language: str, dropout: float, seed: int) -> None:
    codec = knows(text, "bpe", target(language))
    reading = codec.read(text)
    ids = codec.resample(reading.ids, dropout, np.random.default_rng(seed))
    assert codec.write(ids, case=reading.case).text == normalise(text)
    assert codec.resample(ids, 0.0, np.random.default_rng(seed)) == codec.read(text).ids


@given(st.lists(st.sampled_from(["him", "a", "5", "é", "हिन्दी", "مرحبا", "я"]), min_size=1, max_size=5), st.data())
def test_as_characters_spaces_beside_punctuation_are_ignored(words: list[str], data: st.DataObject) -> None:
    marks = [data.draw(st.sampled_from([".", ",", "?", " — ", "…", "।", '"'])) for _ in words]
    text = "".join(word + mark for word, mark in zip(words, marks, strict=True))
    spaced = "".join(f"{word} {mark} " for word, mark in zip(words, marks, strict=True))
    codec = knows(text, "character", source("en"))
    assert codec.read(spaced).ids == codec.read(text).ids


@given(any_text, any_unit, st.booleans(), st.booleans())
def test_a_codec_that_knows_nothing_writes_nothing(text: str, unit: Unit, lowercase: bool, spacing: bool) -> None:
    codec = fit_codec(SideConfig(language="en", lowercase=lowercase, spacing=spacing), unit, {})
    ids = codec.read(text).ids
    assert set(ids) <= {UNK}
    assert codec.write(ids).text == ""


@given(st.lists(st.integers(0, 30), max_size=20), any_unit, st.booleans())
def test_any_ids_are_written_as_normalised_text(ids: list[int], unit: Unit, keep: bool) -> None:
    codec = knows("don't say e\u0301 or a ▁▏<unk>", unit, target("en") if keep else source("en"))
    ids = [id_ % len(codec.vocabulary) for id_ in ids]
    text = codec.write(ids).text
    assert normalise(text) == text
    assert not {SPACING, CONTINUING} & set(text)
    assert [id_ for token in codec.vocabulary.split(ids) for id_ in token] == ids


@given(
    st.dictionaries(st.text(min_size=1, max_size=3), st.integers(0, 5)),
    st.integers(1, 4),
    st.none() | st.integers(1, 9),
)
def test_a_vocabulary_is_ordered_and_one_to_one(counts: dict[str, int], least: int, most: int | None) -> None:
    vocabulary = Vocabulary.fit(counts, min_count=least, max_size=most)
    keys = [(-counts[word], word) for word in vocabulary.words]
    assert keys == sorted(keys)
    assert all(counts[word] >= least for word in vocabulary.words)
    assert most is None or len(vocabulary.words) <= most
    assert all(vocabulary.id(vocabulary.unit(id_)) == id_ for id_ in range(4, len(vocabulary)))
    shuffled = dict(sorted(counts.items(), reverse=True))
    assert Vocabulary.fit(shuffled, min_count=least, max_size=most) == vocabulary
