"""What a finished run is worth: its score on the test split, a few translations, the model card."""

import shlex
from dataclasses import dataclass

from seq2seq_cli.corpus.splits import SplitName
from seq2seq_cli.decoding.load import load_translator
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.evaluation.held_out import HeldOutScores, score_split
from seq2seq_cli.runs.metrics import TestRecord
from seq2seq_cli.training.examples import choose_examples
from seq2seq_cli.training.session import Session

SPLITS_FOR_EXAMPLES: tuple[SplitName, ...] = ("test", "valid", "train")


@dataclass(frozen=True, kw_only=True)
class Example:
    """A sentence, what the reference says and what the model says."""

    source: str
    reference: str
    translation: str


@dataclass(frozen=True, kw_only=True)
class Report:
    """What to tell at the end of a run."""

    test: HeldOutScores | None
    """Of the test split; None when nothing is held out for it."""
    examples_split: SplitName
    """The split that the examples are from."""
    examples: list[Example]
    parameters: int
    """Trained numbers of the model."""


def report(session: Session) -> Report:
    """Score the best model of the session's run."""
    translator = load_translator(session.run, session.device, session.config)
    corpus = session.corpus
    split = next(name for name in SPLITS_FOR_EXAMPLES if len(corpus.split(name)))
    return Report(
        test=score_split(translator, corpus, "test") if len(corpus.split("test")) else None,
        examples_split=split,
        examples=_examples(translator, corpus.sentences(split)),
        parameters=sum(p.numel() for p in translator.model.parameters()),
    )


def _examples(translator: Translator, pairs: list[tuple[str, str]]) -> list[Example]:
    chosen = choose_examples(pairs)
    translations = translator.translate([src for src, _ in chosen])
    return [
        Example(source=src, reference=tgt, translation=translation.text)
        for (src, tgt), translation in zip(chosen, translations, strict=True)
    ]


def test_record(session: Session, scores: HeldOutScores) -> TestRecord:
    """The record of the best weights' scores on the test split."""
    progress = session.state.progress
    return TestRecord(
        step=progress.step,
        epoch=progress.best_epoch,
        loss=scores.loss,
        bleu=scores.bleu.value,
        chrf=scores.chrf.value,
        signatures=scores.signatures(),
    )


def model_card(session: Session, result: Report) -> str:
    """README.md of a run, in Markdown."""
    config, progress = session.config, session.state.progress
    src, tgt = config.text.src.language, config.text.tgt.language
    pairs = ", ".join(f"{len(session.corpus.split(name)):,} {name}" for name in ("train", "valid", "test"))
    test = "nothing was held out"
    if result.test:
        bleu, chrf = result.test.bleu, result.test.chrf
        test = f"{bleu.value:.1f} ({bleu.signature})\n- chrF on the test split: {chrf.value:.1f} ({chrf.signature})"
    origin = session.run.provenance().init_from
    begun = f", begun with the best weights of `{origin}`" if origin else ""
    examples = "\n".join(_table_row(e.source, e.translation, e.reference) for e in result.examples)
    return f"""# {session.run.path.name}: {src} to {tgt}

A sequence-to-sequence translator with attention, trained by s2s.

- model: {config.model.decoder.kind} decoder, {config.model.attention.in_words},
  {config.model.decoder.readout} readout; {result.parameters:,} parameters
- data: {pairs} pairs; the splits share no sentence
- vocabulary: {len(session.corpus.src_codec.vocabulary):,} {src}, {len(session.corpus.tgt_codec.vocabulary):,} {tgt}
- training: {progress.epoch} epochs, {progress.step:,} steps, {duration(progress.seconds)} on {session.device.type};
  the best weights are those of epoch {progress.best_epoch}{begun}
- BLEU on the test split, greedy: {test}

Everything that shaped it is in `config.yaml`, its way in `metrics.jsonl`. To use it:

    s2s translate --model {shlex.quote(str(session.run.path))} "..."

| {result.examples_split} sentence | translation | reference |
|---|---|---|
{examples}
"""


def duration(seconds: float) -> str:
    """A time in the unit that reads best, such as 42 s or 17.3 minutes."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} minutes"


def _table_row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
