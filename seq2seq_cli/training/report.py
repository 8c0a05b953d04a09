"""The report on a finished run: its scores on the test split, a few translations, and the model card.

The card is README.md of the run, in Markdown, with Hugging Face's metadata at its top; their keys:
https://huggingface.co/docs/hub/model-cards
"""

import html
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from seq2seq_cli.compute.process import SMALLER_SEARCH, memory_errors
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.yaml12 import write_yaml
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.counts import counted, duration, epochs_in_words
from seq2seq_cli.decoding.load import load, load_model
from seq2seq_cli.decoding.similar.features import KeptFeatures
from seq2seq_cli.decoding.similar.pairs import SimilarPairs
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import Interrupted, ModelFileError, S2SError, TrainingError, command_line
from seq2seq_cli.evaluation.evaluation_set import EvaluationSet
from seq2seq_cli.evaluation.held_out import HeldOutScores, score_split
from seq2seq_cli.evaluation.verdict import Verdict, count_words, verdict_of
from seq2seq_cli.runs.folder import resume_command
from seq2seq_cli.runs.layout import CARD
from seq2seq_cli.runs.records import TestRecord
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE
from seq2seq_cli.training.choose_decoding import choose_decoding, trained_translator
from seq2seq_cli.training.events import Report
from seq2seq_cli.training.loop import is_ended_by_time
from seq2seq_cli.training.session import Session

logger = logging.getLogger(__name__)

_SAMPLES = 5
_MARKS = re.compile(r"[\\`*_\[\]|]")
"""Characters that Markdown reads as marks."""


def make_ready(session: Session) -> tuple[Session, str | None]:
    """The session with the decoding keys chosen and the features kept, and a line on these keys; raises as `finish`."""
    with _told(session):
        session, chosen = choose_decoding(session)
        keep_features(session)
    return session, chosen


def finish(session: Session, chosen: str | None) -> Report:
    """Score the session's run, and record the scores there: in its files and its model card; `chosen` as `report`.

    Raises TrainingError when the test fails, and Interrupted when the user stops it; the best weights and a card
    without scores are there already.
    """
    with _told(session):
        result = report(session, chosen)
    if scores := result.test:
        record = TestRecord(
            step=result.progress.step,
            epoch=result.progress.best_epoch,
            lowercase_bleu=scores.lowercase_bleu.value if scores.lowercase_bleu else None,
            verdict=result.verdict[0],
            example=result.samples[0][0],
            **scores.recorded(),
        )
        session.run.append_metrics(record)
    session.run.write(CARD, model_card(session, result).encode())
    return result


def keep_features(session: Session) -> None:
    """Keep the features of the training pairs that translations consult, unless those of the best weights are there."""
    run = session.run
    if not session.config.decoding.similar_pairs:
        return
    src_size, tgt_size = (len(codec.vocabulary) for codec in session.corpus.codecs)
    pairs = SimilarPairs.open(run.path, src_size=src_size, tgt_size=tgt_size)
    with suppress(ModelFileError):  # damaged ones are made anew
        if KeptFeatures.open(run, pairs):
            return
    if kept := KeptFeatures.computed(trained_translator(session).engine, pairs):
        try:
            run.save_pairs(kept.arrays(run))
        except TrainingError as error:  # a full disk
            logger.warning("%s: translating is slower without these features", error)


@contextmanager
def _told(session: Session) -> Iterator[None]:
    """Add to an error, and to a stop by the user, what is saved and how to go on."""
    path = session.run.path
    saved, again = f"{path}: trained, and its best weights are saved", f"test again with: {resume_command(path)}"
    try:
        with memory_errors(session.state.device.type, SMALLER_SEARCH):
            yield
    except S2SError as error:
        raise TrainingError(f"{saved}, but the test failed: {error}; {again}") from error
    except KeyboardInterrupt:
        raise Interrupted(f"{saved}, but the test was stopped; {again}") from None


def report(session: Session, chosen: str | None = None) -> Report:
    """Score the best weights of the session's run; `chosen` is the line on its decoding keys."""
    corpus, progress, training = session.corpus, session.state.progress, session.config.training
    model = load_model(session.run, session.run.read_best()).to(session.state.device)
    translator = load(session.run.path, device=training.device).uncorrected
    test: HeldOutScores | None = None
    verdict: Verdict = ()
    if len(corpus.split("test")):
        test, tests = score_split(model, translator, corpus, "test"), EvaluationSet.of_split(corpus, "test")
        seen = count_words(corpus.trained_texts("tgt", training.help.least_covered), tests)
        verdict = verdict_of(test.texts, tests, bleu=test.bleu.value, chrf=test.chrf.value, seen=seen)
    split = next(name for name in reversed(SPLITS) if len(corpus.split(name)))
    return Report(
        run=session.run.path,
        progress=progress,
        best=progress.best_in_words(training.metric),
        chosen=chosen,
        test=test,
        verdict=verdict,
        search=f"{training.members} models, " * (training.members > 1) + session.config.decoding.in_words,
        samples_split=split,
        samples=_samples(translator, corpus.sentences(split)),
        max_minutes=training.max_minutes if is_ended_by_time(progress, training) else None,
    )


def _samples(translator: Translator, pairs: list[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """The translations of sources of all lengths, always the same: the middle one of each fifth, by length."""
    by_length = sorted(pairs, key=lambda pair: (len(pair[0]), pair))
    count = min(_SAMPLES, len(pairs))
    chosen = [by_length[(2 * part + 1) * len(pairs) // (2 * count)] for part in range(count)]
    translations = translator.translate([src for src, _ in chosen])
    return [(src, found.text, tgt) for (src, tgt), found in zip(chosen, translations, strict=True)]


def model_card(session: Session, report: Report | None = None) -> str:
    """The card of a run; without a report, the run has neither test scores nor samples yet."""
    corpus, config, state = session.corpus, session.config, session.state
    src, tgt = config.text.languages
    progress = state.progress
    pairs = ", ".join(f"{len(corpus.split(name)):,} {name}" for name in SPLITS)
    origin = session.plan.init_from.name if session.plan.init_from else None
    begun = f"; it began with the best weights of `{origin}`" if origin else ""
    helped = corpus.manifest.help_in_words(config.training.help.least_covered)
    common = corpus.manifest.test_in_valid
    shared = f"{counted(common, 'test pair')} with a sentence of the validation split; no others share a sentence"
    counts = [counted(len(numbers), f"{name} pair") for name, numbers in corpus.left_out.items()]
    left_out = f";\n  more are not scored: {' and '.join(counts)}, as `{origin}` was trained on a sentence of each"
    made = f"- made by: {_cell(author)}\n" if (author := config.training.author) else ""
    name = session.run.path.resolve().name
    command = command_line("s2s", "translate", "--model", name)
    several = f"{config.training.members} that translate together, each " if config.training.members > 1 else ""
    return f"""---
{write_yaml(_metadata(config))}---

# {name}: {src} to {tgt}

A sequence-to-sequence translator{" with attention" if config.model.attention.has_weights else ""}, trained by s2s.

- model: {several}{config.model.in_words}, {config.model.decoder.readout} readout;
  {state.model.parameter_count:,} parameters
{made}- data: {pairs} pairs{helped}; {shared if common else "the splits share no sentence"}{left_out if counts else ""}
- vocabulary: {len(corpus.codec("src").vocabulary):,} {src}, {len(corpus.codec("tgt").vocabulary):,} {tgt}
- training: {epochs_in_words(progress.epochs)}, {counted(progress.step, "step")}, {duration(progress.seconds)} on
  {state.device.type}; best: {progress.best_in_words(config.training.metric)}{begun}
{_test_scores(report)}

The whole config is in `config.yaml`, the losses and scores of the training in `metrics.jsonl`. To translate, where
the folder of this file lies:

    {command} "..."
{_sample_table(report)}"""


def _metadata(config: Config) -> dict[str, Any]:
    """The metadata by which Hugging Face lists and finds a model."""
    license_, cell = config.training.license, config.model.decoder.cell.partition("_")[0]
    return {
        "language": [language for language in dict.fromkeys(config.text.languages) if language != ANY_LANGUAGE],
        **({"license": license_} if license_ else {}),
        "library_name": "seq2seq_cli",
        "pipeline_tag": "translation",
        "tags": ["seq2seq", "recurrent", cell, *(["attention"] if config.model.attention.has_weights else [])],
    }


def _test_scores(report: Report | None) -> str:
    if report is None:
        return "- BLEU on the test split: not scored yet; it is scored when the training ends"
    chosen = [report.chosen] if report.chosen else []
    scores = report.scores_in_words or ["BLEU on the test split: no test pairs"]
    return "\n".join(f"- {line}" for line in (*chosen, *scores, *map(_cell, report.verdict)))


def _sample_table(report: Report | None) -> str:
    if report is None:
        return ""
    rows = [(f"{report.samples_split} sentence", "translation", "reference"), ("---",) * 3, *report.samples]
    return "\n" + "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in rows)


def _cell(text: str) -> str:
    """A text as itself, whatever marks of Markdown and HTML it has."""
    return _MARKS.sub(r"\\\g<0>", html.escape(text, quote=False))
