"""A trained run as one page, which translates in a browser without a server, by the tables of Python."""

import base64
import json
import re
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx.numpy_helper import to_array

from seq2seq_cli.decoding import keep, marks, sentences
from seq2seq_cli.decoding.load import ensure_exported, load_translator
from seq2seq_cli.decoding.page.javascript import Expression, to_javascript
from seq2seq_cli.decoding.search.search import LEAST_COVERAGE
from seq2seq_cli.decoding.search.strategy import length_factor
from seq2seq_cli.decoding.similar.engine import REACH, TEMPERATURE, ConsultingEngine
from seq2seq_cli.decoding.similar.features import MOST_STEPS
from seq2seq_cli.decoding.similar.pairs import BIGRAMS, MULTIPLIER, NEARNESS, UNIGRAMS
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import ExportError
from seq2seq_cli.files.writing import check_output, output_file
from seq2seq_cli.pages.page import VIEWS, page, read_file
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import DECODER, ENCODER, FEATURES
from seq2seq_cli.runs.listing import about_run
from seq2seq_cli.shapes import Float, Int
from seq2seq_cli.text import characters, usual_case
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.languages import name_of
from seq2seq_cli.text.tokenizer import KINDS, LONGEST_WORD, TokenizerRules

_PARTS = "tensors products operators engine similar beam characters tokenizer codec keep sentences translate"
SCRIPTS = (*VIEWS, "panes.js", *(f"translator/{part}.js" for part in _PARTS.split()))
"""The files of the page's scripts, in the order in which they run."""

_STEPS = 6000
"""Steps in the root mean square of a weight. Of 8,000 translations of two runs of `quick`, 1 changed with 5800 steps, 3
with 4100 or 2900, 7 with binary16."""
_MOST_STEPS = 2**22
"""Steps in the largest number of a weight, at most: with the sign, it has three bytes."""


def write_page(folder: RunFolder, out: Path, *, overwrite: bool, with_pairs: bool, lacks: Sequence[str]) -> None:
    """Write the page of a run, which translates with the options of the run's config as `Translator.translate` does.

    Where the run consults similar pairs, the page has all training pairs in it, but only if `with_pairs` is given:
    whoever gets it could read them. Of what the run was tested with, it tells what it `lacks`.

    Raises as `seq2seq_cli.decoding.export.export`; ExportError also for a run with a part that the page cannot do.
    """
    check_output(out, overwrite=overwrite)
    ensure_exported(folder)
    translator = load_translator(folder, overrides=[] if with_pairs else ["decoding.similar_pairs=0"])
    languages = translator.src_codec.config.language, translator.tgt_codec.config.language
    try:
        model = _model(folder.path, translator)
    except (ValueError, RecursionError) as error:
        problem = f"{folder.path}: its rules for words have an expression that no page can do"
        raise ExportError(f"{problem}: {error}") from None
    names = [*map(name_of, languages)]
    content = json.dumps(model, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    data = {
        "languages": languages,
        "about": about_run(folder, lacks=lacks) | {"names": names},
        "weights": packed_weights(folder.read_best()),
        "model": _packed(content.encode("utf-8", "surrogatepass")),
    }
    with output_file(out, overwrite=overwrite) as file:
        file.write(page(" - ".join(names), SCRIPTS, data, start="translatorPage", allowed=" 'wasm-unsafe-eval'"))


def packed_weights(weights: Mapping[str, Float[np.ndarray, "..."]]) -> dict[str, Any]:
    """Their shapes by name, the step of each, and the lowest, the middle and the upper bytes of all numbers in steps.

    Apart from the others, the upper bytes take less room: they repeat more often.
    """
    shapes = {name: list(weight.shape) for name, weight in weights.items()}
    in_steps, steps = zip(*map(rounded, weights.values()), strict=True)
    numbers = np.concatenate([each.ravel() for each in in_steps])
    # The sign last, so that the upper bytes of small numbers are 0, whatever their sign.
    codes = np.where(numbers < 0, -2 * numbers - 1, 2 * numbers).astype("<u4")
    low, middle, high, _ = codes.view(np.uint8).reshape(-1, 4).T
    planes = [_packed(plane.tobytes()) for plane in (low, middle, high)]
    return {"shapes": shapes, "steps": list(steps), "planes": planes}


def rounded(weight: Float[np.ndarray, "..."]) -> tuple[Int[np.ndarray, "..."], float]:
    """A weight in whole steps, as the page has it, and the step.

    Small and large numbers are rounded by as much: in the same room, the sums are more exact than with binary16, which
    spends it on small numbers.
    """
    size = float(np.sqrt(np.mean(np.square(weight, dtype=np.float64))))
    most = float(np.abs(weight).max(initial=0))
    # Of few digits, so that it is the same for a weight that was rounded before.
    step = float(f"{max(size / _STEPS, most / _MOST_STEPS):.1e}") or 1.0
    return np.rint(weight / np.float64(step)).astype(np.int64), step


def _packed(content: bytes) -> str:
    """Deflated, in base 64."""
    return base64.b64encode(zlib.compress(content, 9)).decode("ascii")


def _model(run: Path, translator: Translator) -> dict[str, Any]:
    """All but the weights, as `openTranslator` reads it; raises ExportError for what the page cannot do."""
    src, tgt, options = translator.src_codec, translator.tgt_codec, translator.search_options
    if options.sampling:
        raise ExportError(f"{run}: decoding.sampling is true in its config.yaml; the page searches: set it to false")
    for codec in (src, tgt):
        if codec.unit != "character" and codec.rules is None:
            problem = f"{run}: a program cuts {codec.config.language} into words, which no page can run"
            raise ExportError(f"{problem}: prepare with --set text.unit=character, and train a new run")
    is_shared = (src.vocabulary, src.merges) == (tgt.vocabulary, tgt.merges)  # which are not there twice
    return {
        "src": codec_data(src),
        "tgt": codec_data(tgt) | ({"words": None, "merges": None} if is_shared else {}),
        "encoder": graph_data(run / ENCODER),
        "decoder": graph_data(run / DECODER),
        "features": graph_data(run / FEATURES) if options.similar_pairs else None,
        "hasAttention": translator.engine.has_attention,
        "expressions": _expressions_data(),
        "tables": _tables_data(src.config.language),
        "options": {**asdict(options), "max_length_factor": length_factor(options)},
        "maxLength": translator.max_length,
        "pairs": _pairs(translator),
    }


def _pairs(translator: Translator) -> dict[str, Any] | None:
    """The training pairs that a translator consults, and how; None where it consults none."""
    if not isinstance(translator.engine, ConsultingEngine):
        return None
    pairs = translator.engine.pairs
    src, tgt = zip(*map(pairs.pair, range(len(pairs.src))), strict=True)
    return {
        "src": src,
        "tgt": tgt,
        "longest": translator.engine.max_source_length or MOST_STEPS,
        "mostSteps": MOST_STEPS,
        "nearness": NEARNESS,
        "temperature": TEMPERATURE,
        "reach": REACH,
        "unigrams": UNIGRAMS,
        "bigrams": BIGRAMS,
        "multiplier": str(MULTIPLIER),
        "same": translator.same_units,
        "marks": sorted(translator.src_codec.vocabulary.final_ids),
    }


def graph_data(path: Path) -> dict[str, Any]:
    """A graph as `pages/translator/engine.js` runs it, without its weights: operations, and the names of its outputs.

    The operations, constants among them, are in an order in which they can be computed; an input that one lacks has an
    empty name. Raises ExportError for an operation that the page does not know.
    """
    graph = onnx.shape_inference.infer_shapes(onnx.load(path, load_external_data=False)).graph
    kinds = {each.name: each.type.tensor_type.elem_type for each in graph.value_info}
    integers = {name for name, kind in kinds.items() if kind in (onnx.TensorProto.INT32, onnx.TensorProto.INT64)}
    known = re.findall(r"^  ([A-Z]\w+)[:(]", read_file("translator/operators.js"), flags=re.MULTILINE)
    nodes: list[dict[str, Any]] = []
    for node in graph.node:
        operator = "IntegerDiv" if node.op_type == "Div" and node.output[0] in integers else node.op_type
        if operator not in known:
            problem = f"the model has the operation {operator}, which the page cannot compute"
            raise ExportError(f"{problem}: export the run to a folder instead")
        edges = {"inputs": list(node.input), "outputs": list(node.output)}
        attributes = {each.name: _attribute(each) for each in node.attribute}
        nodes.append({"operator": operator, **edges, "attributes": attributes})
    return {"nodes": nodes, "outputs": [output.name for output in graph.output]}


def _attribute(attribute: onnx.AttributeProto) -> Any:
    """The value of an attribute as plain data; a tensor's in row-major order, with infinity as text."""
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        array: np.ndarray = to_array(value)
        values = [number if np.isfinite(number) else json.dumps(number) for number in array.ravel().tolist()]
        return {"shape": list(array.shape), "values": values}
    if isinstance(value, bytes):
        return value.decode("ascii")
    return [each.decode("ascii") for each in value] if attribute.strings else value


def codec_data(codec: Codec) -> dict[str, Any]:
    """A codec whose tokens are characters, or words cut by rules."""
    return {
        "unit": codec.unit,
        "language": codec.config.language,
        "lowercase": codec.config.lowercase,
        "spacing": codec.config.spacing,
        "apostrophe": codec.apostrophe,
        "smallWords": sorted(codec.small_words),
        "words": codec.vocabulary.words,
        "merges": codec.merges,
        "tokenizer": codec.rules and _tokenizer_data(codec.rules),
    }


def _tokenizer_data(rules: TokenizerRules) -> dict[str, Any]:
    expressions = {kind: to_javascript(rules.pattern(kind), finds_all=kind == "infix") for kind in KINDS}
    return {"isKnown": rules.is_known, "exceptions": rules.exceptions, "expressions": expressions}


def _expressions_data() -> dict[str, Expression]:
    """The expressions that are the same for all languages, by the names that the scripts have for them."""
    unspaced = f"[{characters.UNSPACED}]"
    solid = to_javascript(rf"[^\s{characters.SPACING}]")[0]
    letter = rf"[[\p{{L}}\p{{N}}\p{{M}}]--{to_javascript(unspaced)[0]}]"
    one, every = to_javascript, partial(to_javascript, finds_all=True)
    return {
        "space": one(r"\s"),
        "digit": one(r"\d"),
        "anyMark": one(marks.ANY_MARK),
        "htmlTag": one(marks.TAG),
        "first": one(marks.FIRST),
        "unspaced": one(unspaced),
        "following": one(sentences.FOLLOWING),
        "lastWord": one(sentences.LAST_WORD),
        "apostrophes": one(f"^[{characters.APOSTROPHES}]+"),
        "openingMarks": one(f"^[{re.escape(sentences.OPENING_MARKS)}]+"),
        "innerApostrophe": every(characters.INNER_APOSTROPHE),
        "wordStart": every(usual_case.WORD_START),
        "dropped": every(characters.DROPPED),
        "gap": every(rf"[\s{characters.SPACING}]"),
        "mark": every(marks.MARK),
        "sentenceEnd": every(sentences.SENTENCE_END),
        "widened": every(keep.WIDENED),
        **{f"cut{rank}": every(cut) for rank, cut in enumerate(sentences.CUTS)},
        # Words as in keep.py, parted by punctuation; with the classes of JavaScript, as Python has no such ones.
        "words": (rf"{solid}(?:\p{{M}}|\u200d|(?<=\u200d){solid}|(?<={letter}){letter})*", "gv"),
    }


def _tables_data(language: str) -> dict[str, Any]:
    """The tables by the names that the scripts have for them; the abbreviations are of the source's language."""
    letters = map(chr, range(sys.maxunicode + 1))
    return {
        "titles": {letter: letter.title() for letter in letters if letter.title() != letter.upper()},
        "dotted": sorted(characters.DOTTED),
        "kinds": marks.KINDS,
        "finalMarks": sorted(characters.FINAL_MARKS),
        "singleStops": sentences.SINGLE_STOPS,
        "otherStops": sentences.OTHER_STOPS,
        "loudStops": characters.LOUD_STOPS,
        "noStops": "" if language == "el" else sentences.GREEK_STOPS,
        "units": sentences.UNITS,
        "noSpaceBefore": keep.NO_SPACE_BEFORE,
        "longestWord": LONGEST_WORD,
        "leastCoverage": LEAST_COVERAGE,
        "longestAbbreviation": sentences.LONGEST_ABBREVIATION,
        "abbreviations": sorted(sentences.abbreviations_of(language)),
    }
