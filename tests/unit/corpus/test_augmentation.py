"""Changed training pairs: each transformation where it applies, and where it does not."""

import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.text import SideConfig, TextConfig
from seq2seq_cli.config.schema.training import AugmentationConfig, TrainingConfig
from seq2seq_cli.corpus.augmentation import Augmentation, change_final_mark, change_marks, with_typo
from seq2seq_cli.corpus.names import Names
from seq2seq_cli.corpus.numbers import Numbers, Texts
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.segmenter import get_segmenter
from seq2seq_cli.text.sides import fit_codecs
from seq2seq_cli.text.vocabulary import UNK
from tests.corpora import prepared
from tests.unit.corpus.test_names import KNOWN_NAMES, randoms

Pair = tuple[str, str]

PLAIN = [
    ("They built a house.", "Sie bauten ein Haus."),
    ("Houses, builders, knowing!", "Häuser, Bauer, Kenner!"),
    ("Is the hotel full?", "Ist das Hotel voll?"),
]
PAIRS = [*PLAIN, *((f"{name} sees a house.", f"{name} sieht ein Haus.") for name in KNOWN_NAMES)]
CHARACTERS = " ".join([*string.ascii_letters, *string.digits, *"äöüÄÖÜßéÉ.,:;!?…-/'()\"“”„«»", *"你好吗。"])
NAMES = Names.of(PAIRS, units=CHARACTERS)
AS_TEXT = [f"text.{side}.{k}" for side in ("src", "tgt") for k in ("lowercase=false", "spacing=true", "min_count=1")]
NOTHING = dict.fromkeys(AugmentationConfig.model_fields, 0.0) | {"enabled": True}


@cache
def codecs_of(unit: Unit, *, lowercase: bool = False) -> tuple[Codec, Codec]:
    """With bpe, of a shared vocabulary that has every character of the tests."""
    src, tgt = SideConfig(language="en", lowercase=lowercase, min_count=1), SideConfig(language="de", min_count=1)
    src_counts, tgt_counts = (
        Counter(token for each in (*sentences, CHARACTERS) for token in get_segmenter(side, unit).tokens(each))
        for side, sentences in zip((src, tgt), zip(*PAIRS, strict=True), strict=True)
    )
    return fit_codecs(TextConfig(unit=unit, src=src, tgt=tgt), src_counts, tgt_counts)


def augmentation(
    codecs: tuple[Codec, Codec], seed: int = 1, bpe_dropout: float = 0.0, /, **probabilities: float
) -> Augmentation:
    """Only the changes with the given probabilities."""
    changes = AugmentationConfig.model_validate(NOTHING | probabilities)
    training = TrainingConfig(augmentation=changes, bpe_dropout=bpe_dropout, seed=seed)
    return Augmentation(codecs=codecs, training=training, names=NAMES, numbers=Numbers())


def encoded(pairs: Sequence[Pair], codecs: tuple[Codec, Codec]) -> ParallelIds:
    src, tgt = (
        Ragged.of([codec.read(text).ids for text in side])
        for codec, side in zip(codecs, zip(*pairs, strict=True), strict=True)
    )
    return ParallelIds(src=src, tgt=tgt)


def rows(pairs: ParallelIds) -> list[tuple[list[int], list[int]]]:
    return [(pairs.src.row(row).tolist(), pairs.tgt.row(row).tolist()) for row in range(len(pairs))]


def changed_ids(
    pairs: Sequence[Pair], codecs: tuple[Codec, Codec], times: int = 40, /, **probabilities: float
) -> list[tuple[list[int], list[int]]]:
    """The ids of so many different changes of each pair."""
    ids = encoded(pairs, codecs)
    chosen = np.arange(times * len(ids)) % len(ids)
    return rows(augmentation(codecs, **probabilities).apply(ids, chosen, epoch=0, window=0))


def written(line: tuple[list[int], list[int]], codecs: tuple[Codec, Codec]) -> Pair:
    """The texts of a line, with @ for an unknown word."""
    src, tgt = (
        codec.write(side, {i: "@" for i, id_ in enumerate(side) if id_ == UNK}).text
        for codec, side in zip(codecs, line, strict=True)
    )
    return src, tgt


def changed(pair: Pair, **probabilities: float) -> list[Pair]:
    codecs = codecs_of("bpe")
    return [written(line, codecs) for line in changed_ids([pair], codecs, **probabilities)]


@pytest.mark.parametrize(("plain", "further"), [(60, 5), (15, 2), (3, 0)])
def test_pairs_with_digits_are_read_more_often_where_they_are_few_and_numbers_change(plain: int, further: int) -> None:
    codecs = codecs_of("bpe")
    pairs = [("25 cats", "25 Katzen"), *PLAIN * (plain // 3)]
    often, once = (changed_ids(pairs, codecs, 1, numbers=probability) for probability in (1.0, 0.0))
    assert len(often) == len(pairs) + further
    assert sorted(once) == sorted(rows(encoded(pairs, codecs)))


@pytest.mark.parametrize(
    ("src", "tgt", "src_form", "tgt_form"),
    [
        ("Tom sees Anna.", "Tom sieht Anna.", r"(.+) sees (.+)\.", "{0} sieht {1}."),
        ("Tom likes Tom.", "Tom mag Tom.", r"(.+) likes \1\.", "{0} mag {0}."),
        ("Tom's house", "Toms Haus", r"(.+[^sxz])'s house", "{0}s Haus"),
        ("Tom-Anna sees Xochitl.", "Tom-Anna sieht Xochitl.", r"(.+) sees (.+)\.", "{0} sieht {1}."),
    ],
)
def test_names_are_other_ones_on_both_sides(src: str, tgt: str, src_form: str, tgt_form: str) -> None:
    found = changed((src, tgt), names=1.0)
    assert len(set(found)) > 20
    for pair in found:
        names = re.fullmatch(src_form, pair[0])
        assert names
        assert pair[1] == tgt_form.format(*names.groups())


def test_names_without_a_genitive_are_not_put_in_place_of_one() -> None:
    codecs = codecs_of("bpe")
    for line in changed_ids([("Tom's house", "Toms Haus")] * 10, codecs, names=1.0):
        assert re.fullmatch(r"(?!-?\d).*[^sxzSXZ\d]'s house", written(line, codecs)[0])


def test_few_pairs_without_a_name_get_one_at_their_end() -> None:
    codecs = codecs_of("bpe")
    found = Counter(written(line, codecs) for line in changed_ids([PLAIN[0]] * 10, codecs, names=1.0))
    assert found.pop(PLAIN[0]) > 300
    assert found
    for src, tgt in found:
        name = re.fullmatch(r"They built a house, (.+)\.", src)
        assert name
        assert tgt == f"Sie bauten ein Haus, {name[1]}."
    unmarked = ("They built a house", "Sie bauten ein Haus.")
    assert set(changed(unmarked, names=1.0)) == {unmarked}


@pytest.mark.parametrize("unit", ["word", "bpe"])
@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (("Tom sees a house.", "Tom sieht ein Haus."), ("@ sees a house.", "@ sieht ein Haus.")),
        (("They built a house.", "Sie bauten ein Haus."), ("They built a house @.", "Sie bauten ein Haus @.")),
        (("They built a house", "Sie bauten ein Haus."), ("They built a house @", "Sie bauten ein Haus. @")),
    ],
    ids=["a name", "no name", "a mark on one side"],
)
def test_a_kept_word_is_unknown_on_both_sides(pair: Pair, expected: Pair, unit: Unit) -> None:
    codecs = codecs_of(unit)
    lines = changed_ids([pair], codecs, kept=1.0)
    assert all(src.count(UNK) == tgt.count(UNK) > 0 for src, tgt in lines)
    assert expected in {written(line, codecs) for line in lines}


def test_joined_lines_hold_two_to_four_pairs_up_to_a_limit() -> None:
    codecs = codecs_of("bpe")
    short = [(f"{name} sees!", f"{name} sieht!") for name in KNOWN_NAMES]
    long = ("They " + "they " * 39 + "built!", "Sie " * 40 + "bauten!")
    pairs = [*short * 8, long]
    lines = changed_ids(pairs, codecs, 1, joined=1.0)
    texts = [written(line, codecs) for line in lines]
    assert sorted(sentence for src, _ in texts for sentence in re.findall(r"\S[^!]*!", src)) == sorted(
        src.strip() for src, _ in pairs
    )
    counts = Counter(src.count("!") for src, _ in texts)
    assert set(counts) <= {1, 2, 3, 4}
    assert counts[2] > counts[3] > 0
    for (src, tgt), (_, tgt_ids) in zip(texts, lines, strict=True):
        for word, translation in (("sees", "sieht"), ("They", "Sie"), ("they", "Sie"), ("built", "bauten")):
            src = src.replace(word, translation)
        assert tgt == src
        assert len(tgt_ids) <= 30 or tgt.count("!") == 1


def test_two_joined_sentences_become_one_at_times() -> None:
    found = set(changed(("A house.", "Ein Haus."), joined=1.0))
    assert {("A house. A house.", "Ein Haus. Ein Haus."), ("A house; a house.", "Ein Haus; ein Haus.")} <= found
    assert not any("a house" in src for src, _ in changed(("A house?", "Ein Haus."), joined=1.0))
    assert not any(";" in src for src, _ in changed(("A house...", "Ein Haus..."), joined=1.0))
    assert not any("25 a" in src for src, _ in changed(("25 A houses.", "25 Ein Haus."), joined=1.0))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("Go!", "Geh !"), {(f"Go{mark}", f"Geh{mark}") for mark in ("", *"!?.…")}),
        (("Really?!", "Echt?!"), {(f"Really{mark}", f"Echt{mark}") for mark in ("", *"!?.…")}),
        (("Is he?", "¿Duerme?"), {(f"Is he{mark}", f"Duerme{mark}") for mark in ("", *"!?.…")}),
        (("Is it 3.5?", "¿Son 3.5?"), {(f"Is it 3.5{mark}", f"Son 3.5{mark}") for mark in ("", *"!?.…")}),
        (("Um drei.", "At 3 p.m."), {("Um drei.", "At 3 p.m.")}),
        (("Go", "Geh!"), {("Go", "Geh!")}),
        (("3.5", "3,5"), {("3.5", "3,5")}),
    ],
)
def test_final_marks_are_left_out_or_exchanged_where_both_sides_have_one(texts: Pair, expected: set[Pair]) -> None:
    assert {change_final_mark(Texts(*texts), random) for random in randoms()} == expected


def test_marks_of_the_source_are_left_out_or_apart_or_both_sides_are_in_quotation_marks() -> None:
    found = {change_marks(Texts("No, 3.5!", "Nein, 3,5!"), random) for random in randoms() for _ in range(9)}
    assert {("No , 3.5 !", "Nein, 3,5!"), ("No 3.5!", "Nein, 3,5!")} < found
    assert {("“No, 3.5!”", "“Nein, 3,5!”"), ("(No, 3.5!)", "(Nein, 3,5!)")} < found
    assert len(found) == 8


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc", {"acb"}),
        ("abcd 1234", {"acbd", "abdc"}),
        ("שלום", {"שולם", "שלםו"}),
        ("it is Tom 12345", {"it is Tom 12345"}),
        ("李四不喜欢吃鱼。", {"李四不喜欢吃鱼。"}),
        ("", {""}),
    ],
)
def test_a_typo_exchanges_two_letters_inside_a_word_that_is_no_name(text: str, expected: set[str]) -> None:
    assert {with_typo(Texts(text, ""), random).src.removesuffix(" 1234") for random in randoms()} == expected


def test_a_source_in_small_letters_or_in_capitals_hides_its_names() -> None:
    pair = ("They knew Anna.", "Sie kannten Anna.")
    found = set(changed(pair, capitals=1.0))
    assert found == {("They knew anna.", pair[1]), ("They knew Anna.", pair[1])}  # the vocabulary has Anna


@pytest.mark.parametrize(("unit", "lowercase"), [("word", False), ("character", False), ("bpe", True)])
def test_the_case_stays_where_texts_are_not_read_in_their_usual_one(unit: Unit, lowercase: bool) -> None:
    codecs = codecs_of(unit, lowercase=lowercase)
    lines = changed_ids([PAIRS[5]], codecs, capitals=1.0)
    assert all(line == rows(encoded([PAIRS[5]], codecs))[0] for line in lines)


EVERYTHING = {name: 1.0 for name in AugmentationConfig.model_fields if name not in {"enabled", "joined"}}


@pytest.mark.parametrize("pair", [("Tom 漢 Anna.", "Tom Anna."), ("Tom sees 25.", "Tom sieht 漢 25.")])
def test_a_pair_with_an_unknown_word_stays_as_it_is(pair: Pair) -> None:
    codecs = codecs_of("bpe")
    assert changed_ids([pair], codecs, 1, **EVERYTHING) == rows(encoded([pair], codecs))


@given(
    pairs=st.lists(st.sampled_from([*PAIRS, ("OK", "25 Häuser"), ('"Tom\'s"', "")]), min_size=1),
    seed=st.integers(0, 99),
)
def test_whatever_is_drawn_the_sides_have_as_many_lines_and_unknown_words(pairs: list[Pair], seed: int) -> None:
    codecs = codecs_of("bpe")
    ids = encoded(pairs, codecs)
    changes = augmentation(codecs, seed, 0.2, joined=0.5, **EVERYTHING)
    lines = changes.apply(ids, np.arange(len(ids)), epoch=0, window=0)
    assert len(lines.src) == len(lines.tgt) > 0
    assert all(src.count(UNK) == tgt.count(UNK) for src, tgt in rows(lines))


def test_bpe_dropout_leaves_the_text_and_changes_the_parts() -> None:
    codecs = codecs_of("bpe")
    ids = encoded(PAIRS, codecs)
    half, whole = (
        augmentation(codecs, 1, dropout).apply(ids, np.arange(len(ids)), epoch=0, window=0) for dropout in (0.5, 0.99)
    )
    for noisy in (half, whole):
        assert sorted(written(line, codecs) for line in rows(noisy)) == sorted(PAIRS)
    for side in ("src", "tgt"):
        few, some, many = (len(getattr(pairs, side).values) for pairs in (ids, half, whole))
        assert few < some < many


@pytest.mark.parametrize("amounts", [{}, {"names": 0.5}, {"joined": 0.5}, EVERYTHING])
def test_the_draws_depend_on_the_seed_the_epoch_and_the_window(amounts: dict[str, float]) -> None:
    codecs = codecs_of("bpe")
    ids, chosen = encoded(PAIRS, codecs), np.array([7, 3, 20, 4, 9, 16, 17])

    def drawn(*, seed: int = 1, epoch: int = 2, window: int = 5) -> list[tuple[list[int], list[int]]]:
        return rows(augmentation(codecs, seed, 0.5, **amounts).apply(ids, chosen, epoch=epoch, window=window))

    assert drawn() == drawn()
    others = drawn(seed=2), drawn(epoch=3), drawn(window=6)
    assert all(other != drawn() for other in others)


@pytest.mark.parametrize(
    ("overrides", "is_drawn", "has_names"),
    [
        ([], True, True),
        (["training.augmentation.names=0"], True, True),  # of which some words come through to the letter
        (["training.augmentation.names=0", "training.augmentation.kept=0"], True, False),
        (["training.augmentation.enabled=false"], False, False),
        (["training.augmentation.enabled=false", "training.bpe_dropout=0.1"], True, False),
    ],
)
def test_augmentation_is_on_unless_disabled(
    tmp_path: Path, overrides: list[str], is_drawn: bool, has_names: bool
) -> None:
    pairs = [(f"{name} sees {n} cats.", f"{name} sieht {n} Katzen.") for name in KNOWN_NAMES for n in range(2, 6)]
    corpus = prepared(tmp_path, pairs, ["text.unit=bpe", *AS_TEXT])
    changes = Augmentation.of(load_config(None, ["text.unit=bpe", *overrides]).training, corpus)
    assert (changes is not None) == is_drawn
    assert bool(changes and changes.names.known) == has_names


@pytest.mark.parametrize(
    ("other", "language", "exchanged"),
    [
        ("¿Duerme {}?", "es", ""),
        ("وہ گیا {}۔", "ur", ""),
        ("{} dort-il ?", "fr", ""),
        ("Κοιμάται ο {};", "el", ""),
        ("Duerme {}?", "es", "!?…"),
    ],
)
def test_final_marks_are_only_left_out_where_a_language_has_others_of_its_own(
    other: str, language: str, exchanged: str, tmp_path: Path
) -> None:
    others = [(f"Does {name} sleep?", other.format(name)) for name in KNOWN_NAMES]
    pairs = [("He sleeps.", "Él duerme."), ("No; he! He? So…", "No; él! Él? So…"), *others]
    settings = ["text.unit=bpe", *AS_TEXT, f"text.tgt.language={language}"]
    corpus = prepared(tmp_path, pairs, [*settings, "data.valid_sources=0", "data.test_sources=0"])

    def found(**probabilities: float) -> set[Pair]:
        changes = AugmentationConfig.model_validate(NOTHING | probabilities)
        augmented = Augmentation.of(TrainingConfig(augmentation=changes), corpus)
        assert augmented
        lines = augmented.apply(encoded(pairs[:1], corpus.codecs), np.zeros(299, dtype=np.int64), epoch=0, window=0)
        return {written(line, corpus.codecs) for line in rows(lines)}

    assert found(final_mark=1.0) == {(f"He sleeps{mark}", f"Él duerme{mark}") for mark in ("", ".", *exchanged)}
    assert any(";" in src for src, _ in found(joined=1.0)) == (language != "el")


def test_a_few_names_become_quantities_as_each_side_writes_them() -> None:
    codecs = codecs_of("bpe")
    changes = replace(augmentation(codecs, names=1.0), numbers=Numbers(forms=[Texts("0.0", "0,0")]))
    lines = changes.apply(encoded([PAIRS[3]], codecs), np.zeros(999, dtype=np.int64), epoch=0, window=0)
    found = ["|".join(written(line, codecs)) for line in rows(lines)]
    assert any(re.match(r"(\d)\.(\d) kg sees.*\|\1,\2 kg sieht", line) for line in found)
