"""Answers to requests to translate, as LibreTranslate gives them."""

from collections.abc import Sequence
from typing import Any

from seq2seq_cli.decoding.passages.markup import escape_unmarked
from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.decoding.translation_data import sentence_data
from seq2seq_cli.serve.requests import TranslateRequest


def answer_to(request: TranslateRequest, best: Sequence[Translation], several: Sequence[Translation]) -> dict[str, Any]:
    """The fields of the answer; `several` are searches for more translations of each text, where it asks for them."""
    texts = [_text(request, translation) for translation in best]
    fields: dict[str, Any] = {"translatedText": texts}
    if request.alternatives:
        found = [[_text(request, other) for other in each.alternatives] for each in several]
        fields["alternatives"] = [_others(text, of_text, request) for text, of_text in zip(texts, found, strict=True)]
    if request.with_attention:
        fields["sentences"] = [list(map(sentence_data, translation.sentences)) for translation in best]
    if not request.is_list:
        fields = {name: values[0] for name, values in fields.items()}
    return fields


def _text(request: TranslateRequest, translation: Translation) -> str:
    return escape_unmarked(translation.text) if request.is_html else translation.text


def _others(text: str, found: Sequence[str], request: TranslateRequest) -> list[str]:
    return [other for other in dict.fromkeys(found) if other != text][: request.alternatives]
