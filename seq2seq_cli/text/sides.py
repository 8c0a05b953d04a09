"""The two sides of a translation: their codecs, learned from training text and kept in a prepared folder or a run."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeGuard, get_args

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.errors import RESTORE, ModelFileError
from seq2seq_cli.files.reading import FORMAT, check_contents, read_json
from seq2seq_cli.files.writing import write_json
from seq2seq_cli.text.bpe import Merge, characters, joined, learn_bpe
from seq2seq_cli.text.characters import INNER_MARKS
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.segmenter import SideOptions, get_segmenter
from seq2seq_cli.text.tokenizer import TokenizerRules
from seq2seq_cli.text.usual_case import in_usual_case, small_words
from seq2seq_cli.text.vocabulary import Vocabulary, vocabulary_size

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.text import SideConfig, TextConfig

SideName = Literal["src", "tgt"]
SIDES: tuple[SideName, ...] = ("src", "tgt")
_FOLDER = "codec"
CODEC_FILES = tuple(f"{_FOLDER}/{side}.json" for side in SIDES)
"""The files of both codecs in a prepared folder or a run folder."""

Codecs: TypeAlias = tuple[Codec, Codec]
"""The codecs of source and target."""
Rules: TypeAlias = tuple[TokenizerRules | None, TokenizerRules | None]
"""The rules that cut the words of the source and of the target; None as in a Codec."""


def rules_of_sides(text: "TextConfig") -> Rules:
    """The rules of the installed spaCy for both languages; raises InputError when spaCy is missing."""
    return get_segmenter(text.src, text.unit).rules, get_segmenter(text.tgt, text.unit).rules


def fit_codecs(
    text: "TextConfig", src_counts: Mapping[str, int], tgt_counts: Mapping[str, int], rules: Rules | None = None
) -> Codecs:
    """Learn both codecs from how often each token occurs; a shared vocabulary is learned from both sides.

    ``rules`` have cut the tokens; None: the rules of the installed spaCy.
    """
    src_rules, tgt_rules = rules or rules_of_sides(text)
    if not text.shares_vocabulary:
        src = fit_codec(text.src, text.unit, src_counts, src_rules)
        return src, fit_codec(text.tgt, text.unit, tgt_counts, tgt_rules)
    usual, tgt_usual = in_usual_case(src_counts, text.src.language), in_usual_case(tgt_counts, text.tgt.language)
    both = fit_codec(text.src, text.unit, usual + tgt_usual, src_rules)
    units = both.vocabulary.words
    src = replace(both, small_words=small_words(units, src_counts, text.src.language))
    of_tgt = small_words(units, tgt_counts, text.tgt.language)
    return src, replace(both, config=SideOptions.of(text.tgt), rules=tgt_rules, small_words=of_tgt)


def fit_codec(
    config: "SideConfig", unit: Unit, token_counts: Mapping[str, int], rules: TokenizerRules | None = None
) -> Codec:
    """Learn the codec of one side from how often each token occurs; `rules` are as in `fit_codecs`.

    With bpe its vocabulary holds every character that was seen, even when these alone are more than ``max_size``.

    Raises ValueError when the language is still to be found, InputError when spaCy is missing.
    """
    given, token_counts = token_counts, in_usual_case(token_counts, config.language)
    max_size = config.max_size
    if max_size == "auto":
        single = {each for token in token_counts for each in characters(token)}
        max_size = vocabulary_size(unit, sum(token_counts.values()), len(single))
    merges: tuple[Merge, ...] = ()
    if unit == "bpe":
        units, merges = learn_bpe(token_counts, min_count=config.min_count, max_size=max_size)
        vocabulary = Vocabulary(tuple(units))
    else:
        vocabulary = Vocabulary.fit(token_counts, min_count=config.min_count, max_size=max_size)
    return Codec(
        config=SideOptions.of(config),
        unit=unit,
        vocabulary=vocabulary,
        merges=merges,
        rules=get_segmenter(config, unit, rules).rules,
        small_words=small_words(vocabulary.words, given, config.language),
    )


def load_codecs(folder: Path) -> Codecs:
    """The codecs of a prepared folder or a run folder; raises ModelFileError when one is missing or damaged."""
    check_contents(folder, [_FOLDER], error=ModelFileError)
    if not (folder / _FOLDER).is_dir():
        raise ModelFileError(
            f"{folder}: not a run or prepared folder: it has no codec/: s2s train and s2s prepare make one"
        )
    src, tgt = (load_codec(folder / file) for file in CODEC_FILES)
    if bool(src.counts) != bool(tgt.counts):
        raise ModelFileError(f"{folder / _FOLDER}: damaged: only one codec has the counts of its units: {RESTORE}")
    return src, tgt


def save_codecs(folder: Path, codecs: Codecs) -> None:
    """Write each codec as one readable JSON file, whole or not at all, into a prepared folder or a run folder."""
    for file, codec in zip(CODEC_FILES, codecs, strict=True):
        content = {
            "format": FORMAT,
            "unit": codec.unit,
            "config": asdict(codec.config),
            "words": codec.vocabulary.words,
            "merges": codec.merges,
            "tokenizer": codec.rules and asdict(codec.rules),
            "longest": codec.longest,
            "apostrophe": codec.apostrophe,
            "small_words": sorted(codec.small_words),
            "counts": codec.counts,
        }
        write_json(folder / file, content)


def load_codec(path: Path) -> Codec:
    """Read a file of `save_codecs`; raises ModelFileError when it is missing, damaged, or made by a newer s2s."""
    content = read_json(path, error=ModelFileError)
    try:
        return _parse(content)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ModelFileError(f"{path}: damaged: not a codec that s2s wrote: {RESTORE}") from None


def _parse(content: Mapping[str, Any]) -> Codec:
    """The codec from the content of its file, whose other keys are ignored; raises an error when damaged."""
    unit: Any = content.get("unit")
    rules = content.get("tokenizer")
    words, merges = content.get("words"), content.get("merges")
    longest, apostrophe = content.get("longest", 0), content.get("apostrophe", "")
    smalls, counts = content["small_words"], content["counts"]
    if unit not in get_args(Unit) or not (_are_texts(words) and _are_texts(merges) and _are_texts(smalls)):
        raise ValueError("not the units of a codec")
    if type(longest) is not int or longest < 0 or apostrophe not in ("", *INNER_MARKS):
        raise ValueError("not what a codec knows of sentences")
    vocabulary = Vocabulary(tuple(words))
    are_counts = {*map(type, counts)} <= {int} and len(counts) in (0, len(vocabulary)) and min(counts, default=0) >= 0
    if not are_counts or any(counts) != bool(counts):
        raise ValueError("not the counts of the units")
    # What a merge joins is a character or the unit of an earlier merge: only the joined unit can be unknown.
    units = list(map(joined, merges))
    if not set(words).issuperset(units) or any(map(eq, units, merges)):
        raise ValueError("a merge of other units")
    return Codec(
        config=SideOptions(**{key: content["config"][key] for key in SideOptions.__dataclass_fields__}),
        unit=unit,
        vocabulary=vocabulary,
        merges=tuple(merges),
        rules=None if rules is None else TokenizerRules.parse(rules),
        longest=longest,
        apostrophe=apostrophe,
        small_words=frozenset(smalls),
        counts=tuple(counts),
    )


def _are_texts(values: object) -> TypeGuard[list[str]]:
    return type(values) is list and set(map(type, values)) <= {str}
