"""A trained run as one page, which translates in a browser without a server."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from seq2seq_cli.decoding.engines.open_engine import ensure_exported
from seq2seq_cli.decoding.load import load_translator
from seq2seq_cli.decoding.page.graph_data import graph_data
from seq2seq_cli.decoding.page.text_data import codec_data, expressions_data, tables_data
from seq2seq_cli.decoding.search.rules import length_factor
from seq2seq_cli.decoding.similar.engine import MOST_STEPS, REACH, TEMPERATURE
from seq2seq_cli.decoding.similar.pairs import BIGRAMS, MULTIPLIER, NEARNESS, UNIGRAMS, SimilarPairs
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import ExportError
from seq2seq_cli.files.output import check_output, output_file
from seq2seq_cli.pages.translator import translator_page
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import DECODER, ENCODER
from seq2seq_cli.runs.listing import about_run
from seq2seq_cli.text.languages import name_of


def write_page(folder: RunFolder, out: Path, *, overwrite: bool = False, with_pairs: bool = False) -> None:
    """Write the page of a run, which translates with the options of the run's config as `Translator.translate` does.

    It has one translation of a text. Where the run consults similar pairs, the page has all training pairs in it, but
    only if `with_pairs` is given: whoever gets it could read them.

    Raises UsageError when `out` cannot be written, or is there already and `overwrite` is not given; ModelFileError
    when a file of the run is missing or damaged; ExportError for a run with a part that the page cannot do.
    """
    check_output(out, overwrite=overwrite)
    ensure_exported(folder)
    without_pairs = [] if with_pairs else ["decoding.similar_pairs=0"]
    translator = load_translator(folder, overrides=["decoding.n_best=1", *without_pairs])
    languages = translator.src_codec.config.language, translator.tgt_codec.config.language
    try:
        model = _model(folder.path, translator)
    except (ValueError, RecursionError) as error:
        raise ExportError(
            f"{folder.path}: its rules for words have an expression that no page can do: {error}"
        ) from None
    about = about_run(folder) | {"names": [*map(name_of, languages)]}
    content = translator_page(languages, folder.read_best(), model, about)
    with output_file(out, overwrite=overwrite) as file:
        file.write(content)


def _model(run: Path, translator: Translator) -> dict[str, Any]:
    """All but the weights that the page translates with; raises ExportError for what it cannot do."""
    src, tgt, options = translator.src_codec, translator.tgt_codec, translator.search_options
    if options.sampling:
        raise ExportError(f"{run}: decoding.sampling is true in its config.yaml; the page searches: set it to false")
    for codec in (src, tgt):
        if codec.unit != "character" and codec.rules is None:
            raise ExportError(
                f"{run}: a program cuts {codec.config.language} into words, which no page can run: prepare with --set"
                " text.unit=character, and train a new run"
            )
    is_shared = (src.vocabulary, src.merges) == (tgt.vocabulary, tgt.merges)  # which are not there twice
    return {
        "src": codec_data(src),
        "tgt": codec_data(tgt) | ({"words": None, "merges": None} if is_shared else {}),
        "encoder": graph_data(run / ENCODER),
        "decoder": graph_data(run / DECODER),
        "hasAttention": translator.engine.has_attention,
        "expressions": expressions_data(),
        "tables": tables_data(src.config.language),
        "options": {**asdict(options), "max_length_factor": length_factor(options)},
        "maxLength": translator.max_length,
        "pairs": _pairs(run, translator),
    }


def _pairs(run: Path, translator: Translator) -> dict[str, Any] | None:
    """The training pairs that a translator consults, and how; None where it consults none."""
    options = translator.options
    if not options.similar_pairs:
        return None
    src_size, tgt_size = len(translator.src_codec.vocabulary), len(translator.tgt_codec.vocabulary)
    pairs = SimilarPairs.open(run, src_size=src_size, tgt_size=tgt_size)
    src, tgt = zip(*map(pairs.pair, range(len(pairs.src))), strict=True)
    return {
        "src": src,
        "tgt": tgt,
        "most": options.similar_pairs,
        "weight": options.similar_pairs_weight,
        "longest": translator.engine.max_source_length or MOST_STEPS,
        "mostSteps": MOST_STEPS,
        "nearness": NEARNESS,
        "temperature": TEMPERATURE,
        "reach": REACH,
        "unigrams": UNIGRAMS,
        "bigrams": BIGRAMS,
        "multiplier": str(MULTIPLIER),
    }
