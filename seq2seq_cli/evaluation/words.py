"""The words of a language, as the metrics see them. NumPy is not loaded here, nor SacreBLEU."""

from collections.abc import Iterable, Mapping

CHINESE = frozenset({"cmn", "gan", "hak", "hsn", "lzh", "wuu", "yue", "zh"})
"""Languages whose characters TER takes for words, one by one, on request: not the kana or Hangul of others."""
_CHARACTERS = frozenset({"bo", "dz", "ja", "km", "ko", "lo", "my", "th"})
"""Languages whose words 13a cannot find. SacreBLEU names other tokenisers for some of them, but these are packages of
their own: the score would depend on what a machine has installed."""
_WITHOUT_SPACES = CHINESE | _CHARACTERS - {"ko"}


def bleu_tokenisation(language: str) -> str:
    """SacreBLEU's tokenisation for a language (ISO 639): zh for Chinese, char where 13a finds no words, else 13a."""
    return "zh" if language in CHINESE else "char" if language in _CHARACTERS else "13a"


def words_of(text: str, language: str) -> list[str]:
    """The words of a text by its spaces; its characters in a language that has none between words."""
    return list(text) if language in _WITHOUT_SPACES else text.split()


def length_ratio(texts: Mapping[str, str], pairs: Iterable[tuple[str, str]], language: str) -> float:
    """Words of the translations, which are given by source, per word of the references of the pairs."""
    lengths = ((len(words_of(texts[source], language)), len(words_of(text, language))) for source, text in pairs)
    translated, expected = map(sum, zip(*lengths, strict=True))
    return translated / max(1, expected)
