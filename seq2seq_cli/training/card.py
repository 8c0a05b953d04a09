"""The model card: README.md of a run, in Markdown, with Hugging Face's metadata at its top.

Their keys: https://huggingface.co/docs/hub/model-cards
"""

import html
import re
import shlex
from pathlib import Path
from typing import Any

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.yaml12 import write_yaml
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.counts import counted
from seq2seq_cli.learning.state import TrainingState
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.in_words import duration, epochs_in_words
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE
from seq2seq_cli.training.events import Report

_MARKS = re.compile(r"[\\`*_\[\]|]")
"""Characters that Markdown reads as marks."""


def model_card(
    run: RunFolder, corpus: PreparedCorpus, config: Config, state: TrainingState, report: Report | None = None
) -> str:
    """The card of a run; without a report, the run has neither test scores nor samples yet."""
    src, tgt = config.text.src.language, config.text.tgt.language
    progress = state.progress
    pairs = ", ".join(f"{len(corpus.split(name)):,} {name}" for name in SPLITS)
    init_from = run.provenance().init_from
    origin = init_from and Path(init_from).name
    begun = f"; it began with the best weights of `{origin}`" if origin else ""
    name = run.path.resolve().name
    command = f"s2s translate --model {shlex.quote(name)}"
    return f"""---
{write_yaml(_metadata(run, corpus, config, report))}---

# {name}: {src} to {tgt}

A sequence-to-sequence translator{" with attention" if config.model.attention.has_weights else ""}, trained by s2s.

- model: {config.model.decoder.kind} decoder, {config.model.attention.in_words},
  {config.model.decoder.readout} readout; {state.model.parameter_count:,} parameters
- data: {pairs} pairs; {_shared(corpus)}{_left_out(corpus, origin)}
- vocabulary: {len(corpus.src_codec.vocabulary):,} {src}, {len(corpus.tgt_codec.vocabulary):,} {tgt}
- training: {epochs_in_words(progress.epochs)}, {counted(progress.step, "step")}, {duration(progress.seconds)} on
  {state.device.type}; best: {progress.best_in_words(config.training.metric)}{begun}
- BLEU on the test split{_test_scores(report)}

The whole config is in `config.yaml`, the losses and scores of the training in `metrics.jsonl`. To translate, where
the folder of this file lies:

    {command} "..."
{_samples(report)}"""


def _metadata(run: RunFolder, corpus: PreparedCorpus, config: Config, report: Report | None) -> dict[str, Any]:
    """The metadata by which Hugging Face lists and finds a model."""
    languages = dict.fromkeys((config.text.src.language, config.text.tgt.language))
    license_, cell = config.training.license, config.model.decoder.cell.partition("_")[0]
    metadata: dict[str, Any] = {
        "language": [language for language in languages if language != ANY_LANGUAGE],
        **({"license": license_} if license_ else {}),
        "library_name": "seq2seq_cli",
        "pipeline_tag": "translation",
        "tags": ["seq2seq", "recurrent", cell, *(["attention"] if config.model.attention.has_weights else [])],
    }
    if report is None or not report.test:
        return metadata
    scores = {"bleu": ("BLEU", report.test.bleu), "chrf": ("chrF2", report.test.chrf)}
    result = {
        "task": {"type": "translation"},
        "dataset": {"name": _pair_files(corpus), "type": "sentence-pairs", "split": "test"},
        "metrics": [
            {
                "type": metric,
                "value": round(score.value, 2),
                "name": f"{name}, {report.search}",
                "args": {"signature": score.signature},
            }
            for metric, (name, score) in scores.items()
        ],
    }
    index = [{"name": run.path.resolve().name, "results": [result]}]
    return {**metadata, "metrics": list(scores), "model-index": index}


def _pair_files(corpus: PreparedCorpus) -> str:
    return ", ".join(dict.fromkeys(record.name for record in corpus.manifest.pair_files))


def _shared(corpus: PreparedCorpus) -> str:
    if count := corpus.manifest.test_in_valid:
        return f"{counted(count, 'test pair')} with a sentence of the validation split; no others share a sentence"
    return "the splits share no sentence"


def _left_out(corpus: PreparedCorpus, origin: str | None) -> str:
    counts = [counted(len(numbers), f"{name} pair") for name, numbers in corpus.left_out.items()]
    if not counts:
        return ""
    return f";\n  more are not scored: {' and '.join(counts)}, as `{origin}` was trained on a sentence of each"


def _test_scores(report: Report | None) -> str:
    if report is None:
        return ": not scored yet; it is scored when the training ends"
    if not report.test:
        return ": no test pairs"
    bleu, lowercase, chrf = report.test.bleu, report.test.lowercase_bleu, report.test.chrf
    scores = f", {report.search}: {bleu.value:.1f} ({bleu.signature})"
    if lowercase:
        scores += f"\n- BLEU against lower-cased references: {lowercase.value:.1f} ({lowercase.signature})"
    return f"{scores}\n- chrF on the test split: {chrf.value:.1f} ({chrf.signature})"


def _samples(report: Report | None) -> str:
    if report is None:
        return ""
    rows = [(f"{report.samples_split} sentence", "translation", "reference"), ("---",) * 3]
    rows += [(sample.source, sample.translation, sample.reference) for sample in report.samples]
    return "\n" + "".join(_table_row(*row) for row in rows)


def _table_row(*cells: str) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |\n"


def _cell(text: str) -> str:
    """A text as itself, whatever marks of Markdown and HTML it has."""
    return _MARKS.sub(r"\\\g<0>", html.escape(text, quote=False))
