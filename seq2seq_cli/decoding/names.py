"""Names that the training text does not have, which should come through a translation unchanged."""

from collections.abc import Iterator

from seq2seq_cli.decoding.passages.sentences import sentence_ends
from seq2seq_cli.text.casing import lower
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.conventions import Span
from seq2seq_cli.text.normalise import in_word


def new_names(text: str, codec: Codec) -> Iterator[Span]:
    """The spans of the words of a source text that seem to be new names.

    Such a word has a capital inside a sentence, which no training sentence gives it, and the vocabulary has it neither
    like this nor in lower case. There are none where names do not stay as they are, and none in text cut into
    characters.
    """
    if codec.unit == "character":
        return
    language = codec.config.language
    for start, end in codec.conventions.new_names(text):
        word = text[start:end]
        if not (codec.has_unit(word) or codec.has_unit(lower(word, language)) or _begins(text, start, language)):
            yield start, end


def lost_names(source: str, output: str, codec: Codec) -> list[Span]:
    """The spans of the new names of the source that the output lacks; in ``Kowalskis`` it has ``Kowalski``."""
    return [(start, end) for start, end in new_names(source, codec) if source[start:end] not in output]


def _begins(text: str, start: int, language: str) -> bool:
    """Whether the word there is the first one of a sentence."""
    begin = max(sentence_ends(text[:start] + "A", language), default=0)
    return not any(map(in_word, text[begin:start]))
