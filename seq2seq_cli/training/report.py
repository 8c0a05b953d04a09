"""The report on a finished run: its scores on the test split, a few translations, the model card."""

import shlex

from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.decoding.engines.open_engine import load_model
from seq2seq_cli.decoding.load import load_translator, translator_of
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.evaluation.held_out import score_split
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.runs.metrics import TestRecord
from seq2seq_cli.training.events import Report, SampleTranslation
from seq2seq_cli.training.samples import choose_samples
from seq2seq_cli.training.session import Session


def finish(session: Session) -> Report:
    """Report on the session's run, and record it there: in metrics.jsonl and in the model card."""
    result = report(session)
    if scores := result.test:
        record = TestRecord(
            step=result.steps,
            epoch=result.best_epoch,
            loss=scores.loss,
            bleu=scores.bleu.value,
            chrf=scores.chrf.value,
            lowercase_bleu=scores.lowercase_bleu.value if scores.lowercase_bleu else None,
            signatures=scores.signatures(),
        )
        session.run.append_metrics(record)
    session.run.write_card(model_card(session, result))
    return result


def report(session: Session) -> Report:
    """Score the best weights of the session's run."""
    corpus, progress = session.corpus, session.state.progress
    model = load_model(session.run, session.run.read_best()).to(session.state.device)
    translator = _translator(session, model)
    split = next(name for name in reversed(SPLITS) if len(corpus.split(name)))
    return Report(
        run=session.run.path,
        epochs=progress.epoch,
        steps=progress.step,
        skipped=progress.skipped,
        seconds=progress.seconds,
        best_epoch=progress.best_epoch,
        test=score_split(model, translator, corpus, "test") if len(corpus.split("test")) else None,
        search=session.config.decoding.in_words,
        samples_split=split,
        samples=_samples(translator, corpus.sentences(split)),
        parameters=sum(p.numel() for p in model.parameters()),
    )


def _translator(session: Session, model: Seq2Seq) -> Translator:
    """The translator of the best weights: by the exported model on a CPU, where it is several times as fast."""
    if session.state.device.type == "cpu":
        return load_translator(session.run, "cpu")
    return translator_of(model, session.corpus.codecs, session.config.decoding)


def _samples(translator: Translator, pairs: list[tuple[str, str]]) -> list[SampleTranslation]:
    chosen = choose_samples(pairs)
    translations = translator.translate([src for src, _ in chosen])
    return [
        SampleTranslation(source=src, reference=tgt, translation=translation.text)
        for (src, tgt), translation in zip(chosen, translations, strict=True)
    ]


def model_card(session: Session, result: Report) -> str:
    """The README.md of a run, in Markdown."""
    config, corpus = session.config, session.corpus
    src, tgt = config.text.src.language, config.text.tgt.language
    pairs = ", ".join(f"{len(corpus.split(name)):,} {name}" for name in SPLITS)
    test = "nothing was held out"
    if result.test:
        bleu, lowercase, chrf = result.test.bleu, result.test.lowercase_bleu, result.test.chrf
        test = f"{bleu.value:.1f} ({bleu.signature})"
        if lowercase:
            test += f"\n- BLEU against lower-cased references: {lowercase.value:.1f} ({lowercase.signature})"
        test += f"\n- chrF on the test split: {chrf.value:.1f} ({chrf.signature})"
    origin = session.run.provenance().init_from
    begun = f"; it began with the best weights of `{origin}`" if origin else ""
    samples = "\n".join(_table_row(s.source, s.translation, s.reference) for s in result.samples)
    return f"""# {session.run.path.name}: {src} to {tgt}

A sequence-to-sequence translator with attention, trained by s2s.

- model: {config.model.decoder.kind} decoder, {config.model.attention.in_words},
  {config.model.decoder.readout} readout; {result.parameters:,} parameters
- data: {pairs} pairs; the splits share no sentence
- vocabulary: {len(corpus.src_codec.vocabulary):,} {src}, {len(corpus.tgt_codec.vocabulary):,} {tgt}
- training: {result.epochs} epochs, {result.steps:,} steps, {duration(result.seconds)} on {session.state.device.type};
  the best weights are those of epoch {result.best_epoch}{begun}
- BLEU on the test split, {result.search}: {test}

The whole config is in `config.yaml`, the losses and scores of the training in `metrics.jsonl`. To translate:

    s2s translate --model {shlex.quote(str(session.run.path))} "..."

| {result.samples_split} sentence | translation | reference |
|---|---|---|
{samples}
"""


def duration(seconds: float) -> str:
    """A time in seconds or minutes, such as 42 s or 17.3 minutes."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} minutes"


def _table_row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
