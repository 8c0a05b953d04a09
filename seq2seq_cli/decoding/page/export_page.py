"""A trained run as one page, which translates in a browser without a server."""

import logging
from pathlib import Path
from typing import Any

import onnx

from seq2seq_cli.decoding.load import load_translator
from seq2seq_cli.decoding.options import read_options
from seq2seq_cli.decoding.page.graph_data import GraphData, graph_data
from seq2seq_cli.decoding.page.text_data import Data, codec_data, expressions_data, tables_data
from seq2seq_cli.decoding.search.rules import length_factor
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import ExportError
from seq2seq_cli.files.output import check_output, output_file
from seq2seq_cli.pages.translator import known_operators, translator_page
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import DECODER, ENCODER
from seq2seq_cli.runs.weights import read_weights
from seq2seq_cli.text.codec import Codec

logger = logging.getLogger(__name__)


def write_page(folder: RunFolder, out: Path, *, overwrite: bool = False) -> None:
    """Write the page of a run, which translates with the options of the run's config as `Translator.translate` does.

    It has one translation of a text, and consults no similar pairs, for which it would have to hold all training
    pairs; a warning says so.

    Raises UsageError when `out` cannot be written, or is there already and `overwrite` is not given; ModelFileError
    when a file of the run is missing or damaged; ExportError for a run with a part that the page cannot do.
    """
    check_output(out, overwrite=overwrite)
    if read_options(folder).similar_pairs:
        logger.warning("%s: the page consults no similar pairs: it translates as with decoding.similar_pairs=0", out)
    translator = load_translator(folder, options={"engine": "onnx", "similar_pairs": 0, "n_best": 1})
    _check(folder.path, translator)
    languages = translator.src_codec.config.language, translator.tgt_codec.config.language
    weights = read_weights(folder.chosen or folder.best_path)
    try:
        codecs = {
            "src": codec_data(translator.src_codec),
            "tgt": _target_data(translator.src_codec, translator.tgt_codec),
        }
    except (ValueError, RecursionError) as error:
        raise ExportError(
            f"{folder.path}: its rules for words have an expression that no page can do: {error}"
        ) from None
    model = codecs | {
        "encoder": _graph(folder.path / ENCODER),
        "decoder": _graph(folder.path / DECODER),
        "hasAttention": translator.engine.has_attention,
        "expressions": expressions_data(),
        "tables": tables_data(languages[0]),
        "options": _options(translator),
        "limits": {"maxLength": translator.max_length},
    }
    content = translator_page(languages, weights, model)
    with output_file(out, overwrite=overwrite) as file:
        file.write(content)


def _check(run: Path, translator: Translator) -> None:
    """Raise ExportError for what the page cannot do."""
    if translator.options.sampling:
        raise ExportError(
            f"{run}: decoding.sampling is true in its config.yaml; the page searches: set it to false there"
        )
    for side, codec in (("source", translator.src_codec), ("target", translator.tgt_codec)):
        if codec.unit != "character" and codec.rules is None:
            program = f"the {side} language, {codec.config.language}, is cut into words by a program"
            raise ExportError(
                f"{run}: {program}, which no page can run: prepare with --set text.unit=character, and train a new run"
            )


def _target_data(src: Codec, tgt: Codec) -> Data:
    """The codec of the target; where it shares the units of the source, they are not there twice."""
    is_shared = (src.vocabulary, src.merges) == (tgt.vocabulary, tgt.merges)
    return {**codec_data(tgt), **({"words": None, "merges": None} if is_shared else {})}


def _options(translator: Translator) -> dict[str, Any]:
    options = translator.search_options
    return {**vars(options), "max_length_factor": length_factor(options)}


def _graph(path: Path) -> GraphData:
    return graph_data(onnx.load(path, load_external_data=False).graph, known_operators())
