"""The two sides of a translation: their codecs, learned from training text and kept in a prepared folder or a run."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeGuard, get_args

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.errors import RESTORE, ModelFileError
from seq2seq_cli.files.json_files import FORMAT, read_json
from seq2seq_cli.files.reading import check_contents
from seq2seq_cli.files.writing import write_json
from seq2seq_cli.text.bpe import characters, joined, learn_bpe
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.letters import capitalise, small_first
from seq2seq_cli.text.normalise import BEGINNING, INNER_MARKS, SPACING
from seq2seq_cli.text.segmenter import SideOptions, get_segmenter
from seq2seq_cli.text.tokenizer import TokenizerRules
from seq2seq_cli.text.vocabulary import Vocabulary, vocabulary_size

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.text import SideConfig, TextConfig

_FOLDER = "codec"
_RARE = 0.1
"""The frequency of a form of a word, as a multiple of the one of its other form, up to which it is rare."""

SideName = Literal["src", "tgt"]
SIDES: tuple[SideName, ...] = ("src", "tgt")

Codecs: TypeAlias = tuple[Codec, Codec]
"""The codecs of source and target."""
Rules: TypeAlias = tuple[TokenizerRules | None, TokenizerRules | None]
"""The rules that cut the words of the source and of the target; None as in a Codec."""


def read_rules(text: "TextConfig") -> Rules:
    """The rules of the installed spaCy for both languages; raises InputError when spaCy is missing."""
    return get_segmenter(text.src, text.unit).rules, get_segmenter(text.tgt, text.unit).rules


def fit_codecs(
    text: "TextConfig", src_counts: Mapping[str, int], tgt_counts: Mapping[str, int], rules: Rules | None = None
) -> Codecs:
    """Learn both codecs from how often each token occurs; a shared vocabulary is learned from both sides.

    ``rules`` have cut the tokens; None: the rules of the installed spaCy.
    """
    src_rules, tgt_rules = rules or read_rules(text)
    if not text.shares_vocabulary:
        return (
            fit_codec(text.src, text.unit, src_counts, src_rules),
            fit_codec(text.tgt, text.unit, tgt_counts, tgt_rules),
        )
    usual, tgt_usual = _in_usual_case(src_counts, text.src.language), _in_usual_case(tgt_counts, text.tgt.language)
    both = fit_codec(text.src, text.unit, usual + tgt_usual, src_rules)
    tgt_config = SideOptions.of(text.tgt, auto_size=both.config.max_size)
    src = _with_small_words(both, src_counts)
    return src, _with_small_words(replace(both, config=tgt_config, rules=tgt_rules), tgt_counts)


def fit_codec(
    config: "SideConfig | SideOptions", unit: Unit, token_counts: Mapping[str, int], rules: TokenizerRules | None = None
) -> Codec:
    """Learn the codec of one side from the number of times that each token of the Segmenter occurs in training.

    With bpe its vocabulary holds every character that was seen, even when these alone are more than ``max_size``.
    ``rules`` have cut the tokens; None: the rules of the installed spaCy.

    Raises ValueError when the language is still to be found, InputError when spaCy is missing.
    """
    given, token_counts = token_counts, _in_usual_case(token_counts, config.language)
    single = {each for token in token_counts for each in characters(token)}
    options = SideOptions.of(config, auto_size=vocabulary_size(unit, sum(token_counts.values()), len(single)))
    rules = get_segmenter(config, unit, rules).rules
    if unit == "bpe":
        units, merges = learn_bpe(token_counts, min_count=config.min_count, max_size=options.max_size)
        codec = Codec(config=options, unit=unit, vocabulary=Vocabulary(tuple(units)), merges=merges, rules=rules)
        return _with_small_words(codec, given)
    vocabulary = Vocabulary.fit(token_counts, min_count=config.min_count, max_size=options.max_size)
    return Codec(config=options, unit=unit, vocabulary=vocabulary, rules=rules)


def _in_usual_case(token_counts: Mapping[str, int], language: str) -> Counter[str]:
    """The counts of tokens, with first tokens of texts in the case that they have inside texts.

    A capital of which nothing is left counts as one use of its letter, which so stays in the vocabulary.
    """
    inside, firsts = _parted(token_counts)
    counts = Counter(inside)
    begins_with_capital = _begin_with_capital(firsts, language)
    for token, n in firsts.items():
        small = _small_token(token, language)
        is_small = begins_with_capital and _is_small_word(small, token, inside)
        counts[small if is_small else token] += n
        if is_small and small != token:
            counts[token.removeprefix(SPACING)[0]] += 1
    return counts


def _with_small_words(codec: Codec, token_counts: Mapping[str, int]) -> Codec:
    """The codec with the units that are words in small letters inside the texts of its side."""
    inside, firsts = _parted(token_counts)
    language = codec.config.language
    if not _begin_with_capital(firsts, language):
        return replace(codec, small_words=frozenset())
    words = [unit for unit in codec.vocabulary.words if inside.get(unit) and _small_token(unit, language) == unit]
    capitals = {unit: _token_of(unit, capitalise, language) for unit in words}
    return replace(codec, small_words=frozenset(unit for unit in words if _is_small_word(unit, capitals[unit], inside)))


def _parted(token_counts: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """The counts of the tokens inside texts, and those of first tokens, without their mark."""
    inside = {token: n for token, n in token_counts.items() if not token.startswith(BEGINNING)}
    return inside, {t.removeprefix(BEGINNING): n for t, n in token_counts.items() if t.startswith(BEGINNING)}


def _begin_with_capital(firsts: Mapping[str, int], language: str) -> bool:
    return sum(-n if _small_token(token, language) == token else n for token, n in firsts.items()) > 0


def _is_small_word(small: str, capital: str, inside: Mapping[str, int]) -> bool:
    """Whether the form in small letters is not the rare one: so with sie, which is "she", and with a capital "you"."""
    return inside.get(small, 0) > _RARE * (inside.get(capital, 0) if capital != small else 0)


def _small_token(token: str, language: str) -> str:
    return _token_of(token, small_first, language)


def _token_of(token: str, change: Callable[[str, str], str], language: str) -> str:
    word = token.removeprefix(SPACING)
    return token.removesuffix(word) + change(word, language)


def codec_path(folder: Path, side: SideName) -> Path:
    """The file of a side's codec in a prepared folder or a run folder."""
    return folder / _FOLDER / f"{side}.json"


def load_codecs(folder: Path) -> Codecs:
    """The codecs of a prepared folder or a run folder; raises ModelFileError when one is missing or damaged."""
    check_contents(folder, [_FOLDER], error=ModelFileError)
    if not (folder / _FOLDER).is_dir():
        raise ModelFileError(
            f"{folder}: not a run or prepared folder: it has no codec/: s2s train and s2s prepare make one"
        )
    src, tgt = load_codec(codec_path(folder, "src")), load_codec(codec_path(folder, "tgt"))
    if bool(src.counts) != bool(tgt.counts):
        raise ModelFileError(f"{folder / _FOLDER}: damaged: only one codec has the counts of its units: {RESTORE}")
    return src, tgt


def save_codecs(folder: Path, codecs: Codecs) -> None:
    """Write each codec as one readable JSON file, whole or not at all, into a prepared folder or a run folder."""
    for side, codec in zip(SIDES, codecs, strict=True):
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
        write_json(codec_path(folder, side), content)


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
    small_words, counts = content["small_words"], content["counts"]
    if unit not in get_args(Unit) or not (_are_texts(words) and _are_texts(merges) and _are_texts(small_words)):
        raise ValueError("not the units of a codec")
    if type(longest) is not int or longest < 0 or apostrophe not in ("", *INNER_MARKS):
        raise ValueError("not what a codec knows of sentences")
    vocabulary = Vocabulary(tuple(words))
    are_counts = {*map(type, counts)} <= {int} and len(counts) in (0, len(vocabulary)) and min(counts, default=0) >= 0
    if not are_counts or any(counts) != bool(counts):
        raise ValueError("not the counts of the units")
    # What a merge joins is a character or the unit of an earlier merge: only the joined unit can be unknown.
    units = list(map(joined, merges))
    if not vocabulary.has_all(units) or any(map(eq, units, merges)):
        raise ValueError("a merge of other units")
    return Codec(
        config=SideOptions(**{key: content["config"][key] for key in SideOptions.__dataclass_fields__}),
        unit=unit,
        vocabulary=vocabulary,
        merges=tuple(merges),
        rules=None if rules is None else TokenizerRules.parse(rules),
        longest=longest,
        apostrophe=apostrophe,
        small_words=frozenset(small_words),
        counts=tuple(counts),
    )


def _are_texts(values: object) -> TypeGuard[list[str]]:
    return type(values) is list and set(map(type, values)) <= {str}
