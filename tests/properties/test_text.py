from collections import Counter

from hypothesis import assume, given
from hypothesis import strategies as st

from seq2seq_cli.config.schema import SideConfig
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.normalise import SPACING, normalise
from seq2seq_cli.text.segmenter import get_segmenter
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD, SPECIAL_UNITS, UNK, Vocabulary

# Any code point, halves of surrogate pairs too; and texts with what is special to the tokenizer or to us.
any_text = st.text(st.characters(), max_size=60) | st.lists(
    st.sampled_from([" ", "a", "don't", "z.B.", ":)", ".", "…", "\t", "\xa0", "\u0301", SPACING, "<eos>", "<unk>", "_"])
    | st.text(st.characters(), max_size=3),
    max_size=20,
).map("".join)


def knows(text: str, language: str) -> Codec:
    """A codec that keeps case and spacing, and has every unit of the text."""
    config = SideConfig(language=language, lowercase=False, spacing=True, min_count=1, max_size=None)
    units = Counter(get_segmenter(config, "word").tokens(normalise(text)))
    assume(units.keys().isdisjoint(SPECIAL_UNITS))  # a text's own "<eos>" is an unknown word
    return Codec.fit(config, "word", units)


@given(any_text)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(any_text)
def test_normalised_text_can_be_written_and_holds_single_spaces_alone(text: str) -> None:
    normal = normalise(text)
    normal.encode("utf-8")
    assert normal.split() == (normal.split(" ") if normal else [])
    assert SPACING not in normal


@given(any_text, st.sampled_from(["en", "de", "ru"]))
def test_text_whose_units_are_known_comes_back_exactly(text: str, language: str) -> None:
    codec = knows(text, language)
    ids = codec.encode(text)
    assert not {PAD, UNK, BOS, EOS} & set(ids)
    assert codec.decode(ids) == normalise(text)


@given(any_text, st.sampled_from(["en", "de", "ru"]))
def test_tokens_units_and_ids_stand_side_by_side(text: str, language: str) -> None:
    codec = knows(text, language)
    assert codec.units(codec.encode(text)) == codec.tokens(text)


@given(any_text, st.booleans(), st.booleans())
def test_a_codec_that_knows_nothing_shows_nothing(text: str, lowercase: bool, spacing: bool) -> None:
    codec = Codec.fit(SideConfig(language="en", lowercase=lowercase, spacing=spacing), "word", {})
    ids = codec.encode(text)
    assert set(ids) <= {UNK}
    assert codec.decode(ids) == ""


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 5)), st.integers(1, 4), st.none() | st.integers(1, 9))
def test_a_vocabulary_is_ordered_and_one_to_one(counts: dict[str, int], least: int, most: int | None) -> None:
    vocabulary = Vocabulary.fit(counts, min_count=least, max_size=most)
    keys = [(-counts[word], word) for word in vocabulary.words]
    assert keys == sorted(keys)
    assert all(counts[word] >= least for word in vocabulary.words)
    assert most is None or len(vocabulary.words) <= most
    assert all(vocabulary.id(vocabulary.unit(id_)) == id_ for id_ in range(4, len(vocabulary)))
    shuffled = dict(sorted(counts.items(), reverse=True))
    assert Vocabulary.fit(shuffled, min_count=least, max_size=most) == vocabulary
